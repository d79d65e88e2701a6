import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { asTenantId } from '@voice/shared/ids/ids';
import { describe, expect, it } from 'vitest';
import { isStillAdmitted } from './admission.js';
import { ADMISSION_EVERY_MS, watchAdmission } from './admission-watch.js';
import type { CredentialRecall } from './authentication.js';
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
  const listen = { operationId: 'listenToCall' } as const;
  const isIn = (recall: CredentialRecall, keyId = 'dashboard/1'): Promise<boolean> => {
    const person = { tenant: asTenantId('t'), userId: 'u', actor: null };
    return isStillAdmitted(listen, { ...person, sandbox: true, keyId }, { recall });
  };

  it('stays while their session and their role allow it', async () => {
    expect(await isIn(async () => ({ role: 'operator' }))).toBe(true);
    expect(await isIn(async () => ({ role: 'viewer' }))).toBe(false);
    expect(await isIn(async () => null)).toBe(false);
    expect(await isIn(() => Promise.reject(apiError('session_expired')))).toBe(false);
  });

  it('stays while the store does not say otherwise', async () => {
    expect(await isIn(() => Promise.reject(apiError('store_unavailable')))).toBe(true);
  });

  it('by a key stays until it is deleted', async () => {
    expect(await isIn(async () => ({}), 'key-1')).toBe(true);
    expect(await isIn(async () => null, 'key-1')).toBe(false);
  });

  it('by a link stays as long as who asked for the link', async () => {
    const left = new Set(['dashboard/1', 'key-1']);
    const recall: CredentialRecall = async ({ keyId }) => (left.has(keyId) ? {} : null);
    expect(await isIn(recall, 'link/dashboard/1')).toBe(true);
    left.delete('dashboard/1');
    expect(await isIn(recall, 'link/dashboard/1')).toBe(false);
    expect(await isIn(recall, 'link/key-1')).toBe(true);
  });
});
