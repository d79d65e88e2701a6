import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestControlPlane, type TestControlPlane } from '../../testing/control-plane.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { ensureIndexes } from '../store/ensure-indexes.js';
import { RateLimiter } from './rate-limits.js';

let store: TestStore;
let plane: TestControlPlane;
let replica: TestControlPlane;
// From now on: the store removes by its own clock what has expired.
const clock = new ScriptedClock(Date.now());
const LIMIT = 5;

beforeAll(async () => {
  store = await startTestStore();
  const env = { RATE_LIMIT_DEFAULT: String(LIMIT), RATE_LIMIT_DIAL: '2' };
  plane = await startTestControlPlane(store.uri, { env, clock });
  replica = await startTestControlPlane(store.uri, { env, clock });
});
afterAll(async () => {
  await plane?.close();
  await replica?.close();
  await store?.close();
});

const get = (key: string | undefined, on = plane) => on.request('GET', '/api/v1/agents', { key });

describe('the rate limit of a tenant', () => {
  // @rule 7.7
  it('counts down in headers, refuses beyond it, and opens again after a minute', async () => {
    const { key } = await plane.newKey();
    for (let left = LIMIT - 1; left >= 0; left--) {
      const { status, headers } = await get(key);
      expect(status).toBe(200);
      expect(headers.get('x-ratelimit-limit')).toBe(String(LIMIT));
      expect(headers.get('x-ratelimit-remaining')).toBe(String(left));
      expect(headers.get('x-ratelimit-reset')).toBe(String(Math.ceil((clock.now() + 60_000) / 1000)));
    }
    clock.advance(20_000);
    const refused = await get(key);
    expect(refused.status).toBe(429);
    expect(refused.json).toMatchObject({ code: 'rate_limited' });
    expect(refused.headers.get('retry-after')).toBe('40');
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');

    clock.advance(39_999);
    expect((await get(key)).status).toBe(429);
    clock.advance(1);
    expect((await get(key)).status).toBe(200);
  });

  // @rule 8.1
  it('is one for all its keys, on all replicas, and also when they ask at the same moment', async () => {
    const [first, second] = [
      await plane.newKey({ tenant: 'two keys' }),
      await plane.newKey({ tenant: 'two keys' }),
    ];
    const asked = Array.from({ length: 12 }, (_, i) =>
      get(i % 2 ? first.key : second.key, i % 3 ? plane : replica),
    );
    const statuses = (await Promise.all(asked)).map((answer) => answer.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(LIMIT);
    expect(statuses.filter((status) => status === 429)).toHaveLength(12 - LIMIT);
  });

  it("does not touch another tenant's", async () => {
    const [busy, calm] = [await plane.newKey(), await plane.newKey()];
    for (let i = 0; i <= LIMIT; i++) await get(busy.key);
    expect((await get(busy.key)).status).toBe(429);
    expect((await get(calm.key)).headers.get('x-ratelimit-remaining')).toBe(String(LIMIT - 1));
  });
});

describe('what has no valid credential', () => {
  it('counts against its address, with the same headers, and never against a tenant behind it', async () => {
    clock.advance(60_000);
    const { key } = await plane.newKey();
    const wrong = `sk_live_${'x'.repeat(32)}`;
    for (let i = 0; i < LIMIT; i++) {
      const answer = await get(i % 2 ? undefined : wrong);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(LIMIT - 1 - i));
    }
    expect((await get(wrong)).status).toBe(429);
    expect((await plane.request('GET', '/nowhere')).status).toBe(429);
    expect((await get(key)).status).toBe(200);
  });
});

describe('the address behind proxies', () => {
  const from = (on: TestControlPlane, address: string) =>
    on.request('GET', '/api/v1/agents', { headers: { 'x-forwarded-for': address } });
  const left = async (on: TestControlPlane, address: string) =>
    (await from(on, address)).headers.get('x-ratelimit-remaining');

  it('is not what a client says of itself', async () => {
    clock.advance(60_000);
    expect(await left(plane, '192.0.2.1')).toBe(String(LIMIT - 1));
    expect(await left(plane, '192.0.2.2')).toBe(String(LIMIT - 2));
  });

  it('is what a trusted proxy says', async () => {
    const env = { RATE_LIMIT_DEFAULT: String(LIMIT), TRUST_PROXY: '1' };
    const behind = await startTestControlPlane(store.uri, { env, clock });
    expect(await left(behind, '198.51.100.9, 192.0.2.3')).toBe(String(LIMIT - 1));
    expect(await left(behind, '192.0.2.3')).toBe(String(LIMIT - 2));
    expect(await left(behind, '192.0.2.4')).toBe(String(LIMIT - 1));
    // A client with one address of IPv6 has as many as it likes.
    expect(await left(behind, '2001:db8:1:2::1')).toBe(String(LIMIT - 1));
    expect(await left(behind, '2001:db8:1:2:ffff::2')).toBe(String(LIMIT - 2));
    expect(await left(behind, '2001:db8:1:3::1')).toBe(String(LIMIT - 1));
    await behind.close();
  });
});

it('counts classes apart', async () => {
  const connection = await store.connect();
  const limiter = new RateLimiter({
    store: connection,
    limits: { default: 3, session: 3, dial: 1, 'campaign-dispatch': 2 },
    clock,
  });
  await ensureIndexes(connection);
  expect(await limiter.consume('tenant/a', 'dial')).toMatchObject({ allowed: true, limit: 1, remaining: 0 });
  expect(await limiter.consume('tenant/a', 'dial')).toMatchObject({ allowed: false });
  expect(await limiter.consume('tenant/a', 'default')).toMatchObject({
    allowed: true,
    limit: 3,
    remaining: 2,
  });
});

describe('requests that are taken before they are made', () => {
  const limits = { default: 1, session: 1, dial: 1, 'campaign-dispatch': 20 } as const;
  const limiters = async () => {
    const connection = await store.connect();
    await ensureIndexes(connection);
    return [1, 2].map(() => new RateLimiter({ store: connection, limits, clock }));
  };

  it('are never more than the limit, however many take at the same moment', async () => {
    const replicas = await limiters();
    const taken = await Promise.all(
      Array.from({ length: 12 }, (_, n) => replicas[n % 2]!.take('tenant/t1', 'campaign-dispatch', 3)),
    );
    const total = () => taken.reduce((sum, { count }) => sum + count, 0);
    expect(total()).toBeLessThanOrEqual(20);
    // Who took too many has given them back: nothing is lost.
    for (let n = 0; n < 3; n++) taken.push(await replicas[n % 2]!.take('tenant/t1', 'campaign-dispatch', 20));
    expect(total()).toBe(20);
  });

  it('can be given back, but not to a later window', async () => {
    const [limiter] = await limiters();
    const first = await limiter!.take('tenant/t2', 'campaign-dispatch', 20);
    await first.giveBack(5);
    expect((await limiter!.take('tenant/t2', 'campaign-dispatch', 9)).count).toBe(5);
    clock.advance(60_000);
    expect((await limiter!.take('tenant/t2', 'campaign-dispatch', 20)).count).toBe(20);
    await first.giveBack(15);
    expect((await limiter!.take('tenant/t2', 'campaign-dispatch', 1)).count).toBe(0);
  });
});

describe('a limit of 5000 a minute', () => {
  const limits = { default: 5000, session: 999, dial: 10, 'campaign-dispatch': 10 };
  const twoReplicas = async () => {
    const connection = await store.connect();
    const rows = connection.collection<{ _id: string; count: number }>('rate_windows');
    const subject = newId();
    const counted = async (rateClass = 'default') =>
      (await rows.findOne({ _id: `${subject}/${rateClass}` }))?.count;
    const [one, other] = [
      new RateLimiter({ store: connection, limits, clock }),
      new RateLimiter({ store: await store.connect(), limits, clock }),
    ];
    return { subject, counted, one, other };
  };

  it('is counted ten requests at a time, each with a place of its own', async () => {
    const { subject, counted, one, other } = await twoReplicas();
    const left = async (limiter: RateLimiter) => (await limiter.consume(subject, 'default')).remaining;
    expect([await left(one), await counted()]).toEqual([4999, 10]);
    expect([await left(other), await counted()]).toEqual([4989, 20]);
    const together = await Promise.all(Array.from({ length: 12 }, () => left(one)));
    expect(together).toEqual([4998, 4997, 4996, 4995, 4994, 4993, 4992, 4991, 4990, 4979, 4978, 4977]);
    expect(await counted()).toBe(30);
  });

  it('refuses beyond it, and leaves no more than ten unused at each other replica', async () => {
    const { subject, one, other } = await twoReplicas();
    await other.consume(subject, 'default');
    const verdicts = await Promise.all(Array.from({ length: 5100 }, () => one.consume(subject, 'default')));
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(4990);
    expect((await one.consume(subject, 'default')).allowed).toBe(false);
  });

  it('keeps nothing for the next minute', async () => {
    const { subject, counted, one } = await twoReplicas();
    await one.consume(subject, 'default');
    clock.advance(60_000);
    expect(await one.consume(subject, 'default')).toMatchObject({ remaining: 4999 });
    expect(await counted()).toBe(10);
  });

  it('is counted to the last request below 1000', async () => {
    const { subject, counted, one } = await twoReplicas();
    await one.consume(subject, 'session');
    expect(await counted('session')).toBe(1);
  });
});
