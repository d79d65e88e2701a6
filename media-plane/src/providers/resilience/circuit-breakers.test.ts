import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { beforeEach, describe, expect, it } from 'vitest';
import { ProviderError } from '../provider-error.js';
import { type Breaker, CircuitBreakers, isProvidersFault } from './circuit-breakers.js';
import { failure, listen, ScriptedModel } from './testing/scripted-model.js';
import { withModelBreaker } from './with-breaker.js';

const choice = (params: Record<string, unknown> = {}) => ({ provider: 'openai', model: '', params });

describe("the worker's circuit breakers", () => {
  let clock: ScriptedClock;
  let breakers: CircuitBreakers;
  let opened: string[];

  beforeEach(() => {
    clock = new ScriptedClock();
    opened = [];
    breakers = new CircuitBreakers(clock, (kind, provider) => opened.push(`${kind} ${provider}`));
  });

  function fail(breaker: Breaker, times = 5): void {
    for (let time = 0; time < times; time++) breaker.begin()('failed');
  }

  it('are one a kind and provider, whatever the model', () => {
    fail(breakers.find('llm', choice()));
    expect(breakers.find('llm', { ...choice(), model: 'other' }).admits()).toBe(false);
    expect(breakers.find('realtime', choice()).admits()).toBe(true);
    expect(opened).toEqual(['llm openai']);
    expect(breakers.list()).toMatchObject([
      { kind: 'llm', provider: 'openai', phase: 'open', results: { ok: 0, slow: 0, failed: 5 }, opened: 1 },
      { kind: 'realtime', phase: 'closed', opened: 0 },
    ]);
  });

  it('keep the servers and accounts of tenants apart, from each other and from the platform’s', () => {
    fail(breakers.find('llm', choice({ base_url: 'http://a.test/v1' })));
    fail(breakers.find('llm', choice({ api_key: 'ours' })));
    expect(breakers.find('llm', choice({ base_url: 'http://a.test/v1' })).admits()).toBe(false);
    expect(breakers.find('llm', choice({ base_url: 'http://b.test/v1' })).admits()).toBe(true);
    expect(breakers.find('llm', choice({ api_key: 'theirs' })).admits()).toBe(true);
    expect(breakers.find('llm', choice()).admits()).toBe(true);
    expect(breakers.list()).toHaveLength(1);
  });

  it('keep accounts apart that a tenant brings for all its agents', () => {
    fail(breakers.find('stt', choice(), 'the key of one tenant'));
    expect(breakers.find('stt', choice(), 'the key of one tenant').admits()).toBe(false);
    expect(breakers.find('stt', choice(), 'of another').admits()).toBe(true);
    expect(breakers.find('stt', choice()).admits()).toBe(true);
  });

  describe('on the platform’s account', () => {
    const of = (tenant: string) => breakers.find('llm', choice(), undefined, tenant);

    it('leave only the tenant to its fallback whose requests alone fail, as with a model that thinks for long', () => {
      for (let time = 0; time < 20; time++) of('a').begin()('slow');
      expect(of('a').admits()).toBe(false);
      expect(of('b').admits()).toBe(true);
      expect(opened).toEqual(['llm openai']);
      expect(breakers.list()).toMatchObject([{ phase: 'open', results: { slow: 20 }, opened: 1 }]);
    });

    it('leave everybody to their fallbacks as soon as it fails a second tenant, too', () => {
      fail(of('a'));
      fail(of('b'), 1);
      expect(of('c').admits()).toBe(false);
    });

    it('try the account again for the others, though it goes on failing one', async () => {
      fail(of('a'));
      fail(of('b'), 1);
      await clock.advanceAsync(10_000);
      // It has no fallback, and asks all the same.
      fail(of('a'), 3);
      expect(of('b').admits()).toBe(true);
      of('b').begin()('ok');
      expect(of('c').admits()).toBe(true);
      expect(of('a').admits()).toBe(false);
    });
  });

  it('remember a bounded number of tenants’ servers, those that were asked for last', () => {
    const server = (number: number) => breakers.find('llm', choice({ base_url: `http://${number}.test` }));
    fail(server(0));
    fail(server(1));
    for (let number = 2; number < 500; number++) server(number);
    expect(server(0).admits()).toBe(false);
    server(500);
    expect(server(1).admits()).toBe(true);
    expect(server(0).admits()).toBe(false);
  });

  it.each([
    ['unavailable', true],
    ['timed_out', true],
    ['disconnected', true],
    ['protocol_violation', true],
    ['rate_limited', true],
    ['unauthorized', false],
    ['bad_request', false],
  ])('take %s for the provider’s fault: %s', (code, expected) => {
    const error = new ProviderError({ provider: 'p', kind: 'llm', code, message: code, retryable: true });
    expect(isProvidersFault(error)).toBe(expected);
    expect(isProvidersFault(new Error(code))).toBe(false);
  });

  describe('of a model', () => {
    const results = () => breakers.list()[0]!.results;
    const watched = (model: ScriptedModel) =>
      withModelBreaker(model, { breaker: breakers.find('llm', choice()), clock, slowMs: 1500 });

    it('count its answers by how they began', async () => {
      const model = watched(
        new ScriptedModel('first', clock, [
          [
            { afterMs: 1400, say: 'In ' },
            { afterMs: 5000, say: 'time.' },
          ],
          [{ afterMs: 1500, say: 'Late.' }],
          [{ afterMs: 10, fail: failure('unavailable') }],
          [{ afterMs: 10, fail: failure('unauthorized') }],
          [
            { afterMs: 10, say: 'Half ' },
            { afterMs: 10, fail: failure('disconnected') },
          ],
        ]),
      );
      for (let answer = 0; answer < 5; answer++) {
        listen(model);
        await clock.advanceAsync(7000, 100);
      }
      expect(results()).toEqual({ ok: 2, slow: 1, failed: 2 });
    });

    it('count one that is given up late as slow, and one that is given up early not at all', async () => {
      const model = watched(new ScriptedModel('first', clock, []));
      for (const ms of [1400, 1600]) {
        const turn = new AbortController();
        listen(model, turn.signal);
        await clock.advanceAsync(ms, 100);
        turn.abort();
        await clock.advanceAsync(20);
      }
      expect(results()).toEqual({ ok: 0, slow: 1, failed: 0 });
    });
  });
});
