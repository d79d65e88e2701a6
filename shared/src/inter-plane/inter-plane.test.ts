import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ScriptedClock } from '../clock/scripted-clock.js';
import { NonceMemory } from './nonces.js';
import { InterPlaneVerifier } from './request-verifier.js';
import { INTER_PLANE_TOKEN_LIFE_MS, interPlaneAuthorization } from './token.js';

const secret = 'a secret of the two planes';

function scene() {
  const clock = new ScriptedClock();
  const verifier = new InterPlaneVerifier({ secret, clock });
  const request = { secret, method: 'POST', path: '/internal/events?a=1', body: '{"events":[]}' };
  const authorization = interPlaneAuthorization({ ...request, now: clock.now() });
  const accepts = (change: Partial<typeof request> = {}, header: string | undefined = authorization) => {
    const { method, path, body } = { ...request, ...change };
    return verifier.accepts({ method, path, authorization: header }, body);
  };
  return { clock, request, authorization, accepts };
}

describe('a token between the planes', () => {
  it('is accepted for the request that it was made for, whether its body is text or bytes', () => {
    const { accepts, request, clock } = scene();
    expect(accepts()).toBe(true);
    const body = Buffer.from(request.body);
    const { method, path } = request;
    const authorization = interPlaneAuthorization({ ...request, body, now: clock.now() });
    const verifier = new InterPlaneVerifier({ secret, clock });
    expect(verifier.accepts({ method, path, authorization }, request.body)).toBe(true);
  });

  it.each([
    ['method', { method: 'PUT' }],
    ['path', { path: '/internal/events' }],
    ['query', { path: '/internal/events?a=2' }],
    ['body', { body: '{"events":[1]}' }],
    ['missing body', { body: '' }],
  ])('is refused for another %s', (_what, change) => {
    expect(scene().accepts(change)).toBe(false);
  });

  it('is refused when it is absent, of the earlier form, or changed anywhere', () => {
    const { accepts, authorization } = scene();
    for (const header of ['', 'Bearer x', `Bearer v1.${Date.now()}.${'0'.repeat(64)}`]) {
      expect(accepts({}, header)).toBe(false);
    }
    fc.assert(
      fc.property(fc.nat(authorization.length - 1), fc.constantFrom('0', 'a', 'A', '.', '-'), (at, char) => {
        fc.pre(authorization[at] !== char && at >= 'Bearer '.length);
        const changed = authorization.slice(0, at) + char + authorization.slice(at + 1);
        expect(accepts({}, changed)).toBe(false);
      }),
    );
  });

  it('is refused by another secret, and beyond its life in both directions of the clock', () => {
    const { clock, request, accepts } = scene();
    const at = (now: number, by = secret) => interPlaneAuthorization({ ...request, secret: by, now });
    expect(accepts({}, at(clock.now(), 'another secret'))).toBe(false);
    expect(accepts({}, at(clock.now() - INTER_PLANE_TOKEN_LIFE_MS - 1))).toBe(false);
    expect(accepts({}, at(clock.now() + INTER_PLANE_TOKEN_LIFE_MS + 1))).toBe(false);
    expect(accepts({}, at(clock.now() - INTER_PLANE_TOKEN_LIFE_MS))).toBe(true);
  });

  it('is accepted once within its life, and is not used up by a changed body', () => {
    const { clock, accepts } = scene();
    expect(accepts({ body: 'changed' })).toBe(false);
    expect(accepts()).toBe(true);
    for (const waitMs of [0, 1000, INTER_PLANE_TOKEN_LIFE_MS / 2, INTER_PLANE_TOKEN_LIFE_MS]) {
      clock.advance(waitMs);
      expect(accepts()).toBe(false);
    }
  });
});

describe('the memory of nonces', () => {
  it('forgets those whose tokens have expired', () => {
    const clock = new ScriptedClock();
    const nonces = new NonceMemory({ clock });
    for (let i = 0; i < 100; i++) nonces.take({ nonce: `n${i}`, issuedAt: clock.now() });
    expect(nonces.size).toBe(100);
    clock.advance(INTER_PLANE_TOKEN_LIFE_MS + 1);
    nonces.take({ nonce: 'next', issuedAt: clock.now() });
    expect(nonces.size).toBe(1);
  });

  it('never holds more than its capacity, and takes no token twice all the same', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(30), fc.nat(2000)), { maxLength: 100 }),
        fc.integer({ min: 1, max: 8 }),
        (requests, capacity) => {
          const clock = new ScriptedClock();
          const nonces = new NonceMemory({ clock, capacity });
          const issued = new Map<number, number>();
          const taken = new Set<number>();
          for (const [name, waitMs] of requests) {
            clock.advance(waitMs);
            const issuedAt = issued.get(name) ?? clock.now();
            issued.set(name, issuedAt);
            if (clock.now() - issuedAt > INTER_PLANE_TOKEN_LIFE_MS) continue;
            if (nonces.take({ nonce: String(name), issuedAt })) {
              expect(taken.has(name)).toBe(false);
              taken.add(name);
            }
            expect(nonces.size).toBeLessThanOrEqual(capacity);
          }
        },
      ),
    );
  });

  it('takes new requests when it is full', () => {
    const clock = new ScriptedClock();
    const nonces = new NonceMemory({ clock, capacity: 10 });
    for (let i = 0; i < 100; i++) {
      clock.advance(1);
      expect(nonces.take({ nonce: `n${i}`, issuedAt: clock.now() })).toBe(true);
    }
  });
});
