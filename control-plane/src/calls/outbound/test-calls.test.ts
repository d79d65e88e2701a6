import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { newId, newTenantId } from '@voice/shared/ids/ids';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TestControlPlane } from '../../testing/control-plane.js';
import { startTestInstallation } from '../../testing/installation.js';
import { ensureIndexes, type TestStore } from '../../testing/store.js';
import { TestCallLimit } from './test-calls.js';

let store: TestStore;
let plane: TestControlPlane;

beforeAll(async () => {
  const installation = await startTestInstallation();
  ({ store, plane } = installation);
  return installation.close;
});

async function agentOf(key: string): Promise<string> {
  const made = await plane.request('POST', '/api/v1/agents', {
    key,
    body: { name: 'Ann', system_prompt: 'You call.' },
  });
  return (made.json as { id: string }).id;
}

describe('POST /api/v1/calls/test', () => {
  it('with a sandbox key calls the test person who talks, as often as one likes', async () => {
    const { key } = await plane.newKey();
    const body = { agent_id: await agentOf(key) };
    for (let i = 0; i < 7; i++) {
      const answer = await plane.request('POST', '/api/v1/calls/test', { key, body });
      expect(answer.status, answer.text).toBe(202);
      const { id } = answer.json as { id: string };
      const call = await plane.request('GET', `/api/v1/calls/${id}`, { key });
      expect(call.json).toMatchObject({
        is_test_call: true,
        from_number: SANDBOX_CALLER_ID,
        to_number: '+15005550006',
      });
    }
  });

  // @rule 5.4
  it('with a sandbox key still reaches carrier test numbers only', async () => {
    const { key } = await plane.newKey();
    const body = { agent_id: await agentOf(key), to_number: '+14155550123' };
    const answer = await plane.request('POST', '/api/v1/calls/test', { key, body });
    expect(answer.json).toMatchObject({ code: 'sandbox_number_required' });
  });

  it('with a production key needs a number to call, and a verified one to call from', async () => {
    const { key } = await plane.newKey({ sandbox: false });
    const agent_id = await agentOf(key);
    const call = (body: object) => plane.request('POST', '/api/v1/calls/test', { key, body });
    expect((await call({ agent_id })).json).toMatchObject({
      code: 'validation_error',
      detail: [{ loc: ['body', 'to_number'], type: 'missing' }],
    });
    expect((await call({ agent_id, to_number: '+14155550123' })).json).toMatchObject({
      code: 'caller_id_unverified',
    });
  });
});

describe('the limit of 5 test calls an hour and tenant', () => {
  // @rule 8.4
  it('holds for calls at the same moment, ends with the hour, and counts a retry once', async () => {
    const connection = await store.connect();
    const clock = new ScriptedClock();
    const limits = [new TestCallLimit(connection, clock), new TestCallLimit(await store.connect(), clock)];
    await ensureIndexes(connection);
    // Several tenants: which command comes first differs from one to the next.
    const tenants = Array.from({ length: 20 }, newTenantId);
    for (const one of tenants) {
      const tried = await Promise.allSettled(
        Array.from({ length: 12 }, (_, i) => limits[i % 2]!.take(one, newId())),
      );
      expect(tried.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    }
    const tenant = tenants[0]!;
    await expect(limits[0]!.take(tenant, newId())).rejects.toMatchObject({
      status: 429,
      code: 'rate_limited',
      retryAfterSeconds: 3600,
    });

    await clock.advance(3_600_000);
    const id = newId();
    for (let i = 0; i < 6; i++) await limits[i % 2]!.take(tenant, id);
    for (let i = 0; i < 4; i++) await limits[i % 2]!.take(tenant, newId());
    await limits[0]!.take(tenant, id);
    await expect(limits[1]!.take(tenant, newId())).rejects.toMatchObject({ code: 'rate_limited' });

    await limits[0]!.giveBack(tenant, id);
    await limits[1]!.take(tenant, newId());
    await limits[1]!.take(newTenantId(), newId());
  });
});
