import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { asTenantId } from '@voice/shared/ids/ids';
import type { Request } from 'express';
import { describe, expect, it } from 'vitest';
import { isStillAdmitted } from './admission.js';
import { ADMISSION_EVERY_MS, watchAdmission } from './admission-watch.js';
import type { SessionPrincipal } from './authentication.js';
import { apiError } from './error-codes.js';

/** Lets promises that are settled go on. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a stream that somebody opened', () => {
  const watched = (answers: boolean[]) => {
    const clock = new ScriptedClock(0);
    const said: string[] = [];
    const stop = watchAdmission({
      clock,
      isStillAdmitted: async () => answers.shift()!,
      onOver: () => said.push('over'),
    });
    const pass = async (ms: number) => {
      clock.advance(ms);
      await settled();
    };
    return { said, stop, pass, left: answers };
  };

  it('is over at most 15 s after they would no longer be let in', async () => {
    const { said, pass } = watched([true, false]);
    await pass(ADMISSION_EVERY_MS);
    expect(said).toEqual([]);
    await pass(ADMISSION_EVERY_MS);
    expect(said).toEqual(['over']);
  });

  it('asks no more once it has ended', async () => {
    const { stop, pass, left } = watched([true, false]);
    await pass(ADMISSION_EVERY_MS);
    stop();
    await pass(10 * ADMISSION_EVERY_MS);
    expect(left).toEqual([false]);
  });
});

describe('who opened a stream', () => {
  const tenant = asTenantId('t');
  const member: SessionPrincipal = {
    tenant,
    keyId: 'dashboard/1',
    userId: 'u',
    role: 'operator',
    actor: null,
  };
  const listen = { operationId: 'listenToCall', auth: 'tenant_in_mode' } as const;
  const isIn = (
    find: () => Promise<SessionPrincipal | null>,
    keyId = 'dashboard/1',
    lookup = async () => null,
  ): Promise<boolean> =>
    isStillAdmitted(
      listen,
      { method: 'GET', get: () => 'Bearer x' } as unknown as Request,
      { ...member, sandbox: true, keyId },
      { sessions: { find }, lookup },
    );

  it('stays while their session and their role allow it', async () => {
    expect(await isIn(async () => member)).toBe(true);
    expect(await isIn(async () => ({ ...member, role: 'viewer' }))).toBe(false);
    expect(await isIn(() => Promise.reject(apiError('session_expired')))).toBe(false);
  });

  it('stays while the store does not say otherwise', async () => {
    expect(await isIn(() => Promise.reject(apiError('store_unavailable')))).toBe(true);
  });

  it('by a key stays until it is deleted', async () => {
    expect(await isIn(async () => null, 'key-1')).toBe(false);
  });

  it('by a link, or by a token of the identity provider, stays: both are short', async () => {
    const over = () => Promise.reject(apiError('session_expired'));
    expect(await isIn(over, 'link/call-1')).toBe(true);
    expect(await isIn(over, 'identity/ada')).toBe(true);
  });
});
