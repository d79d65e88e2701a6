/** @replicas A key that one replica has taken is taken at the other. */

import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { asTenantId, newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { SecretBox } from '../secrets/secret-box.js';
import { ensureIndexes } from '../store/ensure-indexes.js';
import {
  IDEMPOTENCY_LOCK_MS,
  IDEMPOTENCY_WINDOW_MS,
  IdempotencyStore,
  requestFingerprint,
} from './idempotency.js';
import type { Principal } from './route.js';

let store: TestStore;
let plane: TestControlPlane;
let replica: TestControlPlane;
let key: string;
// From now on: the store removes by its own clock what has expired.
const clock = new ScriptedClock(Date.now());

beforeAll(async () => {
  store = await startTestStore();
  plane = await startTestControlPlane(store.uri, { clock });
  replica = await startTestControlPlane(store.uri, { clock });
});
beforeEach(async () => {
  ({ key } = await plane.newKey());
});
afterAll(async () => {
  await plane?.close();
  await replica?.close();
  await store?.close();
});

const body = { name: 'Once', system_prompt: 'p' };

function post(idempotencyKey: string, sent: unknown = body, on = plane, as = key) {
  return on.request('POST', '/api/v1/agents', {
    key: as,
    body: sent,
    headers: { 'idempotency-key': idempotencyKey },
  });
}

const agentCount = async () =>
  ((await plane.request('GET', '/api/v1/agents?include_total=true', { key })).json as { total: number })
    .total;

describe('a request that is repeated with its Idempotency-Key', () => {
  // @rule 8.8
  it('gets the first answer byte for byte, from any replica, and runs once', async () => {
    const first = await post('k');
    expect(first.status).toBe(201);
    expect(first.headers.get('x-idempotent-replay')).toBeNull();
    for (const on of [plane, replica]) {
      const again = await post('k', body, on);
      expect(again.headers.get('x-idempotent-replay')).toBe('true');
      expect([again.status, again.text]).toEqual([201, first.text]);
      expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
      expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
      expect(again.headers.get('x-ratelimit-remaining')).not.toBeNull();
    }
    expect(await agentCount()).toBe(1);
  });

  it('replays an empty 204 as well', async () => {
    const { id } = (await post('k')).json as { id: string };
    const remove = () =>
      plane.request('DELETE', `/api/v1/agents/${id}`, { key, headers: { 'idempotency-key': 'd' } });
    await remove();
    await plane.request('PATCH', `/api/v1/agents/${id}`, { key, body: { is_active: true } });
    const again = await remove();
    expect([again.status, again.text, again.headers.get('x-idempotent-replay')]).toEqual([204, '', 'true']);
    expect((await plane.request('GET', `/api/v1/agents/${id}`, { key })).json).toMatchObject({
      is_active: true,
    });
  });

  it('replays a refusal of the operation', async () => {
    const path = `/api/v1/agents/${newId()}`;
    const send = () => plane.request('DELETE', path, { key, headers: { 'idempotency-key': 'gone' } });
    const first = await send();
    const again = await send();
    expect([again.status, again.text]).toEqual([404, first.text]);
    expect(again.headers.get('x-idempotent-replay')).toBe('true');
  });

  it('is the same however its JSON is written', async () => {
    const first = await post(
      'form',
      '{"name":"Once","system_prompt":"p\u00e9","metadata":{"a":1,"b":[2.0]}}',
    );
    expect(first.status).toBe(201);
    const again = await post(
      'form',
      '{ "metadata": { "b": [2e0], "a": 1 },\n  "system_prompt": "p\\u00e9", "name": "Once" }',
    );
    expect([again.text, again.headers.get('x-idempotent-replay')]).toEqual([first.text, 'true']);
    expect(await agentCount()).toBe(1);
    const other = await post(
      'form',
      '{"name":"Once","system_prompt":"p\u00e9","metadata":{"a":1,"b":[2,2]}}',
    );
    expect(other.json).toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('keeps no answer of a request that did not pass validation', async () => {
    expect((await post('v', { name: '' })).status).toBe(422);
    expect((await post('v')).status).toBe(201);
  });

  // @rule 8.6, 8.7
  it('runs again after 24 hours', async () => {
    const first = await post('day');
    clock.jump(IDEMPOTENCY_WINDOW_MS - 1);
    expect((await post('day')).text).toBe(first.text);
    clock.advance(1);
    const later = await post('day');
    expect(later.status).toBe(201);
    expect(later.headers.get('x-idempotent-replay')).toBeNull();
    expect(later.text).not.toBe(first.text);
  });

  it.each([
    ['another body', () => post('r', { ...body, name: 'Twice' })],
    [
      'another route',
      () =>
        plane.request('POST', '/api/v1/keys', {
          key,
          body: { name: 'n' },
          headers: { 'idempotency-key': 'r' },
        }),
    ],
  ])('with %s is refused', async (_what, send) => {
    await post('r');
    const answer = await send();
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('means nothing to another tenant, nor to the other mode of the same', async () => {
    await plane.newKey({ tenant: 'both' });
    const test = await plane.newKey({ tenant: 'both', sandbox: true });
    const live = await plane.newKey({ tenant: 'both', sandbox: false });
    for (const as of [key, test.key, live.key]) {
      expect((await post('same', body, plane, as)).headers.get('x-idempotent-replay')).toBeNull();
    }
  });

  // @rule 8.8
  it('given many at the same moment on two replicas, runs once: the rest wait or get the answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => post('race', body, i % 2 ? plane : replica)),
    );
    const made = answers.filter((answer) => answer.status === 201);
    const waiting = answers.filter((answer) => answer.status === 409);
    expect(made.length + waiting.length).toBe(10);
    expect(new Set(made.map((answer) => answer.text)).size).toBe(1);
    for (const answer of waiting) {
      expect(answer.json).toMatchObject({ code: 'idempotency_in_flight' });
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    expect(await agentCount()).toBe(1);
  });

  it('is refused for a key that is no sensible text', async () => {
    for (const bad of ['', 'x'.repeat(256), 'caf\u00e9']) {
      const answer = await post(bad);
      expect(answer.status).toBe(422);
      expect(answer.json).toMatchObject({ detail: [{ loc: ['header', 'Idempotency-Key'] }] });
    }
  });

  it('never leaves a new API key readable in the store', async () => {
    const send = () =>
      plane.request('POST', '/api/v1/keys', {
        key,
        body: { name: 'n' },
        headers: { 'idempotency-key': 'secret' },
      });
    const { key: made } = (await send()).json as { key: string };
    const rows = await plane.platform.store.collection('idempotency_keys').find().toArray();
    const stored = rows.map(
      (row) => JSON.stringify(row) + Buffer.from(String(row.answer ?? ''), 'base64').toString(),
    );
    expect(stored.join()).not.toContain(made);
    expect((await send()).json).toMatchObject({ key: made });
  });
});

describe('when the holder of a key dies before it answers', () => {
  const principal: Principal = {
    tenant: asTenantId(newId()),
    sandbox: true,
    keyId: newId(),
    userId: null,
    actor: null,
  };
  const fingerprint = requestFingerprint('post', '/api/v1/agents', Buffer.from('{}'));

  const idempotency = async () => {
    const connection = await store.connect();
    const claims = new IdempotencyStore({ store: connection, clock, secrets: new SecretBox('k'.repeat(32)) });
    await ensureIndexes(connection);
    return claims;
  };

  it('a retry waits for the lock to expire, then one of many runs, under the same resource id', async () => {
    const claims = await idempotency();
    const dead = await claims.claim(principal, 'crash', fingerprint);
    clock.advance(IDEMPOTENCY_LOCK_MS - 1);
    await expect(claims.claim(principal, 'crash', fingerprint)).rejects.toMatchObject({
      code: 'idempotency_in_flight',
    });
    clock.advance(1);
    const tries = await Promise.allSettled(
      Array.from({ length: 6 }, () => claims.claim(principal, 'crash', fingerprint)),
    );
    const taken = tries.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(taken).toHaveLength(1);
    expect(taken[0]).toMatchObject({ kind: 'run', resourceId: (dead as { resourceId: string }).resourceId });
  });

  it('a holder that was only slow does not overwrite the answer of its successor', async () => {
    const claims = await idempotency();
    const slow = await claims.claim(principal, 'slow', fingerprint);
    clock.advance(IDEMPOTENCY_LOCK_MS);
    const next = await claims.claim(principal, 'slow', fingerprint);
    if (slow.kind !== 'run' || next.kind !== 'run') throw new Error('both should run');
    await claims.complete(next, { status: 201, headers: {}, body: Buffer.from('next') });
    await claims.complete(slow, { status: 201, headers: {}, body: Buffer.from('slow') });
    const replay = await claims.claim(principal, 'slow', fingerprint);
    expect(replay).toMatchObject({ kind: 'replay', answer: { body: Buffer.from('next') } });
  });

  it('a holder whose request takes longer than a lock lasts says that it is alive; one that has died does not', async () => {
    const claims = await idempotency();
    const long = await claims.claim(principal, 'long', fingerprint);
    if (long.kind !== 'run') throw new Error('should run');
    const rows = (await store.connect()).db!.collection<{ _id: string; locked_until: Date }>(
      'idempotency_keys',
    );
    const alive = claims.keepAlive(long, (error) => {
      throw error;
    });
    for (let n = 0; n < 5; n++) {
      clock.advance(IDEMPOTENCY_LOCK_MS / 3);
      // Until the renewal is in the store.
      await eventually(
        () => rows.findOne({ _id: long.id }),
        (row) => row!.locked_until.getTime() > clock.now() + IDEMPOTENCY_LOCK_MS / 2,
      );
      await expect(claims.claim(principal, 'long', fingerprint)).rejects.toMatchObject({
        code: 'idempotency_in_flight',
      });
    }
    await alive.stop();
    clock.advance(IDEMPOTENCY_LOCK_MS);
    expect(await claims.claim(principal, 'long', fingerprint)).toMatchObject({ kind: 'run' });
  });

  it('a failure that may heal frees the key at once, with the same resource id', async () => {
    const claims = await idempotency();
    const failed = await claims.claim(principal, 'heals', fingerprint);
    if (failed.kind !== 'run') throw new Error('should run');
    await claims.release(failed);
    expect(await claims.claim(principal, 'heals', fingerprint)).toMatchObject({
      kind: 'run',
      resourceId: failed.resourceId,
    });
  });
});
