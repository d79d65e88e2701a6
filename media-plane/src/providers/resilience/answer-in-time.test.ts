import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { beforeEach, describe, expect, it } from 'vitest';
import { answerInTime } from './answer-in-time.js';
import type { ResilienceNotice } from './notice.js';
import { failure, listen, REQUEST, ScriptedModel, type Step } from './testing/scripted-model.js';

const LIMITS = { firstTokenMs: 1500, turnMs: 6000 };

describe('an answer in time', () => {
  let clock: ScriptedClock;
  let notices: ResilienceNotice[];
  const onNotice = (notice: ResilienceNotice) => notices.push(notice);
  const model = (name: string, answers: readonly (readonly Step[])[]) =>
    new ScriptedModel(name, clock, answers);

  beforeEach(() => {
    clock = new ScriptedClock();
    notices = [];
  });

  describe('by one model', () => {
    const protect = (first: ScriptedModel) => answerInTime({ model: first, limits: LIMITS, clock, onNotice });

    it('asks once more when nothing had been said', async () => {
      const first = model('first', [
        [{ afterMs: 10, fail: failure('disconnected') }],
        [{ afterMs: 10, say: 'Hello.' }],
      ]);
      const heard = listen(protect(first));
      await clock.advanceAsync(100);
      expect(heard).toEqual({ text: 'Hello.', error: undefined, done: true });
      expect(notices).toEqual([
        { code: 'provider_retried', kind: 'llm', provider: 'first', cause: 'llm_disconnected' },
      ]);
    });

    it('never asks a third time, and says that to repeat it is of no use', async () => {
      const fail = [{ afterMs: 10, fail: failure('unavailable') }];
      const first = model('first', [fail, fail, fail]);
      const heard = listen(protect(first));
      await clock.advanceAsync(100);
      expect(heard.error).toMatchObject({ code: 'llm_unavailable', retryable: false });
      expect(first.requests).toHaveLength(2);
      expect(clock.pending).toBe(0);
    });

    it('does not repeat half an answer', async () => {
      const first = model('first', [
        [
          { afterMs: 10, say: 'Hel' },
          { afterMs: 10, fail: failure('disconnected') },
        ],
      ]);
      const heard = listen(protect(first));
      await clock.advanceAsync(100);
      expect(heard).toMatchObject({ text: 'Hel', error: { code: 'llm_disconnected', retryable: true } });
      expect(first.requests).toHaveLength(1);
    });

    it('does not repeat what cannot succeed', async () => {
      const first = model('first', [[{ afterMs: 10, fail: failure('unauthorized', { retryable: false }) }]]);
      const heard = listen(protect(first));
      await clock.advanceAsync(100);
      expect(heard.error).toMatchObject({ code: 'llm_unauthorized' });
      expect(first.requests).toHaveLength(1);
    });

    it('waits for as long as a busy provider asks for', async () => {
      const first = model('first', [
        [{ afterMs: 0, fail: failure('rate_limited', { retryAfterSeconds: 2 }) }],
        [{ afterMs: 0, say: 'Hello.' }],
      ]);
      const heard = listen(protect(first));
      await clock.advanceAsync(1980);
      expect(first.requests).toHaveLength(1);
      await clock.advanceAsync(60);
      expect(heard.text).toBe('Hello.');
    });

    it('waits a moment when a busy provider names no time', async () => {
      const first = model('first', [
        [{ afterMs: 0, fail: failure('rate_limited') }],
        [{ afterMs: 0, say: 'Hello.' }],
      ]);
      const heard = listen(protect(first));
      await clock.advanceAsync(480);
      expect(first.requests).toHaveLength(1);
      await clock.advanceAsync(60);
      expect(heard.text).toBe('Hello.');
    });

    it('ends at once for a turn that is aborted while it waits', async () => {
      const turn = new AbortController();
      const busy = failure('rate_limited', { retryAfterSeconds: 3 });
      const first = model('first', [[{ afterMs: 0, fail: busy }]]);
      const heard = listen(protect(first), turn.signal);
      await clock.advanceAsync(1000);
      turn.abort();
      await clock.advanceAsync(20);
      expect(heard).toEqual({ text: '', error: undefined, done: true });
      expect([clock.pending, first.requests.length]).toEqual([0, 1]);
    });

    it('does not ask a model again that fails by a bug', async () => {
      const first = model('first', [[{ afterMs: 0, fail: new RangeError('a bug') }]]);
      const heard = listen(protect(first));
      await clock.advanceAsync(20);
      expect(heard.error).toMatchObject({ code: 'llm_protocol_violation', retryable: false });
    });

    it('is late, and not what failed beside it, when the first one never speaks', async () => {
      const first = model('first', [
        [{ afterMs: 60_000, say: 'Never heard.' }],
        [{ afterMs: 0, fail: failure('unavailable') }],
      ]);
      const heard = listen(protect(first));
      await clock.advanceAsync(6020);
      expect(heard.error).toMatchObject({ code: 'llm_timed_out' });
      expect(first.requests).toHaveLength(2);
    });

    it('fails at once when a busy provider asks for more time than the turn has', async () => {
      const busy = failure('rate_limited', { retryAfterSeconds: 60 });
      const heard = listen(protect(model('first', [[{ afterMs: 0, fail: busy }]])));
      await clock.advanceAsync(40);
      expect(heard.error).toMatchObject({ code: 'llm_rate_limited' });
      expect(clock.pending).toBe(0);
    });

    it('asks a silent model once more beside itself, as its connection may have died', async () => {
      const first = model('first', [
        [{ afterMs: 60_000, say: 'Never heard.' }],
        [{ afterMs: 300, say: 'Hello.' }],
      ]);
      const heard = listen(protect(first));
      await clock.advanceAsync(1480);
      expect(first.requests).toHaveLength(1);
      await clock.advanceAsync(360);
      expect(heard).toEqual({ text: 'Hello.', error: undefined, done: true });
      expect(first.running).toBe(0);
      expect(notices).toEqual([
        { code: 'provider_retried', kind: 'llm', provider: 'first', cause: 'llm_timed_out' },
      ]);
    });

    it('hears a slow model that speaks before the one beside it', async () => {
      const first = model('first', [[{ afterMs: 2000, say: 'Slow.' }], [{ afterMs: 2000, say: 'Slower.' }]]);
      const heard = listen(protect(first));
      await clock.advanceAsync(2100);
      expect(heard).toEqual({ text: 'Slow.', error: undefined, done: true });
      expect(first.running).toBe(0);
    });

    it('gives up at the deadline, and stops all work', async () => {
      const first = model('first', []);
      const heard = listen(protect(first));
      await clock.advanceAsync(5980);
      expect(heard.done).toBe(false);
      await clock.advanceAsync(40);
      expect(heard.error).toMatchObject({ code: 'llm_timed_out', retryable: false });
      expect(first.running).toBe(0);
      expect(clock.pending).toBe(0);
    });
  });

  describe('with a fallback', () => {
    const choice = { provider: 'second', model: 'b', params: {} };
    const credentials = { api_key: 'second-key' };
    const protect = (first: ScriptedModel, second: ScriptedModel) =>
      answerInTime({
        model: first,
        fallback: { model: second, choice, credentials },
        limits: LIMITS,
        clock,
        onNotice,
      });

    it('lets the other model answer, with its own settings and key, whatever the reason', async () => {
      const first = model('first', [[{ afterMs: 10, fail: failure('unauthorized', { retryable: false }) }]]);
      const second = model('second', [[{ afterMs: 10, say: 'Good day.' }]]);
      const heard = listen(protect(first, second));
      await clock.advanceAsync(100);
      expect(heard).toEqual({ text: 'Good day.', error: undefined, done: true });
      expect(second.requests[0]).toMatchObject({ choice, credentials, messages: REQUEST.messages });
      expect(notices).toEqual([
        {
          code: 'provider_replaced',
          kind: 'llm',
          provider: 'first',
          replacement: 'second',
          cause: 'llm_unauthorized',
        },
      ]);
    });

    it('leaves the failed model alone for a minute, then tries it again', async () => {
      const first = model('first', [
        [{ afterMs: 0, fail: failure('unavailable') }],
        [{ afterMs: 0, say: 'Back.' }],
      ]);
      const hello = [{ afterMs: 0, say: 'Hello.' }];
      const protectedModel = protect(first, model('second', [hello, hello]));
      for (const expected of ['Hello.', 'Hello.', 'Back.']) {
        const heard = listen(protectedModel);
        await clock.advanceAsync(31_000, 1000);
        expect(heard.text).toBe(expected);
      }
      expect(first.requests).toHaveLength(2);
    });

    it('lets the other model answer within a second of the first token’s budget', async () => {
      const first = model('first', []);
      const second = model('second', [[{ afterMs: 300, say: 'Good day.' }]]);
      const heard = listen(protect(first, second));
      await clock.advanceAsync(1480);
      expect(second.requests).toEqual([]);
      await clock.advanceAsync(400);
      expect(heard.text).toBe('Good day.');
      expect(notices).toEqual([
        {
          code: 'provider_replaced',
          kind: 'llm',
          provider: 'first',
          replacement: 'second',
          cause: 'llm_timed_out',
        },
      ]);
      expect(first.running).toBe(0);
    });

    it('hears the first when it speaks before the other, and asks it again the next time', async () => {
      const first = model('first', [[{ afterMs: 1600, say: 'Slow.' }], [{ afterMs: 0, say: 'Quick.' }]]);
      const second = model('second', [[{ afterMs: 500, say: 'Not needed.' }]]);
      const protectedModel = protect(first, second);
      const heard = listen(protectedModel);
      await clock.advanceAsync(1700);
      expect(heard).toEqual({ text: 'Slow.', error: undefined, done: true });
      expect(second.running).toBe(0);
      expect(notices).toEqual([]);
      const again = listen(protectedModel);
      await clock.advanceAsync(20);
      expect(again.text).toBe('Quick.');
    });

    it('stops the late one as soon as the other speaks', async () => {
      const first = model('first', []);
      const second = model('second', [
        [
          { afterMs: 100, say: 'Good ' },
          { afterMs: 5000, say: 'day.' },
        ],
      ]);
      const heard = listen(protect(first, second));
      await clock.advanceAsync(1700);
      expect([heard.text, first.running, second.running]).toEqual(['Good ', 0, 1]);
      await clock.advanceAsync(5000);
      expect(heard.text).toBe('Good day.');
    });

    it('asks the first after all when the other fails in its place', async () => {
      const first = model('first', [
        [{ afterMs: 0, fail: failure('unavailable') }],
        [{ afterMs: 0, say: 'Back.' }],
      ]);
      const second = model('second', [
        [{ afterMs: 0, say: 'Good day.' }],
        [{ afterMs: 0, fail: failure('disconnected') }],
      ]);
      const protectedModel = protect(first, second);
      listen(protectedModel);
      await clock.advanceAsync(20);
      const heard = listen(protectedModel);
      await clock.advanceAsync(20);
      expect(heard.text).toBe('Back.');
      expect(notices.at(-1)).toMatchObject({
        code: 'provider_replaced',
        provider: 'second',
        replacement: 'first',
        cause: 'llm_disconnected',
      });
    });

    it('asks the other next time when the first broke off in mid-answer', async () => {
      const first = model('first', [
        [
          { afterMs: 0, say: 'Hel' },
          { afterMs: 10, fail: failure('disconnected') },
        ],
      ]);
      const second = model('second', [[{ afterMs: 0, say: 'Good day.' }]]);
      const protectedModel = protect(first, second);
      const heard = listen(protectedModel);
      await clock.advanceAsync(40);
      expect(heard).toMatchObject({ text: 'Hel', error: { code: 'llm_disconnected' } });
      const again = listen(protectedModel);
      await clock.advanceAsync(20);
      expect(again.text).toBe('Good day.');
    });

    it('ends at once for a turn that is aborted, and lets nobody take over', async () => {
      const turn = new AbortController();
      const first = model('first', []);
      const second = model('second', []);
      const heard = listen(protect(first, second), turn.signal);
      await clock.advanceAsync(100);
      turn.abort();
      await clock.advanceAsync(100);
      expect(heard.done).toBe(true);
      expect(second.requests).toEqual([]);
      expect(clock.pending).toBe(0);
    });
  });
});
