import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { asTenantId, newId } from '@voice/shared/ids/ids';
import { describe, expect, it } from 'vitest';
import { LIVE_LINK_LIFE_MS, LiveLinks } from './live-links.js';

/** Of who asked for the links. */
const KEY = newId();

describe('a link to a live call', () => {
  const clock = new ScriptedClock();
  const links = new LiveLinks({ secretsKeys: 'a key for secrets at rest', clock });
  const tenant = asTenantId(newId());
  const callId = newId();

  it('lets its tenant in, in its mode, for five minutes', () => {
    const { token, expiresAt } = links.sign({ tenant, sandbox: true }, callId, KEY);
    expect(expiresAt.getTime() - clock.now()).toBe(LIVE_LINK_LIFE_MS);
    clock.advance(LIVE_LINK_LIFE_MS);
    expect(links.principal(token, callId)).toMatchObject({ tenant, sandbox: true, keyId: `link/${KEY}` });
    clock.advance(1);
    expect(() => links.principal(token, callId)).toThrow(
      expect.objectContaining({ code: 'live_link_invalid' }),
    );
  });

  it.each([
    ['another call', (token: string) => [token, newId()] as const],
    ['a changed payload', (token: string) => [`A${token.slice(1)}`, callId] as const],
    [
      'another key',
      () =>
        [
          new LiveLinks({ secretsKeys: 'another', clock }).sign({ tenant, sandbox: true }, callId, KEY).token,
          callId,
        ] as const,
    ],
    ['no token', () => ['', callId] as const],
  ])('is refused with %s', (_what, change) => {
    const { token } = links.sign({ tenant, sandbox: true }, callId, KEY);
    expect(() => links.principal(...change(token))).toThrow(
      expect.objectContaining({ code: 'live_link_invalid', status: 401 }),
    );
  });
});
