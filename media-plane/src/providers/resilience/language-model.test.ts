import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LanguageModel, LlmEvent, LlmRequest } from '../llm/port.js';
import { ProviderError } from '../provider-error.js';
import { withFallback, withRetry, withTimeouts } from './language-model.js';
import type { ResilienceNotice } from './notice.js';

const LIMITS = { budgetMs: 750, firstTimeoutMs: 4000, idleTimeoutMs: 2000 };
const REQUEST: LlmRequest = {
  choice: { provider: 'first', model: 'a', params: {} },
  credentials: { api_key: 'first-key' },
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
};

type Step = { readonly afterMs: number } & ({ readonly say: string } | { readonly fail: ProviderError });

function failure(code: string, retryable = true): ProviderError {
  return new ProviderError({ provider: 'first', kind: 'llm', code, message: code, retryable });
}

/** Answers its n-th request by the n-th list of steps; without one it is silent until it is aborted. */
class ScriptedModel implements LanguageModel {
  readonly requests: LlmRequest[] = [];
  running = 0;

  constructor(
    readonly name: string,
    readonly clock: ScriptedClock,
    readonly answers: readonly (readonly Step[])[],
  ) {}

  async *generate(request: LlmRequest, signal: AbortSignal): AsyncGenerator<LlmEvent> {
    const steps = this.answers[this.requests.length];
    this.requests.push(request);
    this.running += 1;
    try {
      if (!steps) await this.clock.sleep(1e9, signal);
      for (const step of steps ?? []) {
        if (step.afterMs > 0) await this.clock.sleep(step.afterMs, signal);
        if ('fail' in step) throw step.fail;
        yield { type: 'text', delta: step.say };
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.running -= 1;
    }
  }
}

interface Heard {
  text: string;
  error: unknown;
  done: boolean;
}

describe('a language model under protection', () => {
  let clock: ScriptedClock;
  let notices: ResilienceNotice[];
  const onNotice = (notice: ResilienceNotice) => notices.push(notice);

  beforeEach(() => {
    clock = new ScriptedClock();
    notices = [];
  });

  function listen(model: LanguageModel, signal = new AbortController().signal): Heard {
    const heard: Heard = { text: '', error: undefined, done: false };
    void (async () => {
      try {
        for await (const event of model.generate(REQUEST, signal)) {
          if (event.type === 'text') heard.text += event.delta;
        }
      } catch (error) {
        heard.error = error;
      }
      heard.done = true;
    })();
    return heard;
  }

  describe('with time-outs', () => {
    it('gives one notice when the first token is past its budget, and goes on', async () => {
      const model = new ScriptedModel('first', clock, [[{ afterMs: 900, say: 'Hello.' }]]);
      const heard = listen(withTimeouts(model, { limits: LIMITS, clock, onNotice }));
      await clock.advanceAsync(740);
      expect(notices).toEqual([]);
      await clock.advanceAsync(500);
      expect(notices).toEqual([
        { code: 'budget_passed', kind: 'llm', provider: 'first', stage: 'first_token', budgetMs: 750 },
      ]);
      expect(heard).toEqual({ text: 'Hello.', error: undefined, done: true });
      expect(clock.pending).toBe(0);
    });

    it('gives up a model that does not begin, and stops its work', async () => {
      const model = new ScriptedModel('first', clock, []);
      const heard = listen(withTimeouts(model, { limits: LIMITS, clock, onNotice }));
      await clock.advanceAsync(3980);
      expect(heard.done).toBe(false);
      await clock.advanceAsync(40);
      expect(heard.error).toMatchObject({ code: 'llm_timed_out', retryable: true });
      expect(model.running).toBe(0);
      expect(clock.pending).toBe(0);
    });

    it('gives up a model that falls silent in mid-answer', async () => {
      const steps = [
        { afterMs: 100, say: 'One ' },
        { afterMs: 1900, say: 'moment ' },
        { afterMs: 2100, say: 'please.' },
      ];
      const model = new ScriptedModel('first', clock, [steps]);
      const heard = listen(withTimeouts(model, { limits: LIMITS, clock, onNotice }));
      await clock.advanceAsync(4100);
      expect(heard).toMatchObject({ text: 'One moment ', error: { code: 'llm_timed_out' } });
    });

    it('never blames the model for a slow reader', async () => {
      const steps = [
        { afterMs: 0, say: 'One ' },
        { afterMs: 0, say: 'two.' },
      ];
      const model = withTimeouts(new ScriptedModel('first', clock, [steps]), {
        limits: LIMITS,
        clock,
        onNotice,
      });
      const events: LlmEvent[] = [];
      const reading = (async () => {
        for await (const event of model.generate(REQUEST, new AbortController().signal)) {
          events.push(event);
          await clock.sleep(10_000);
        }
      })();
      await clock.advanceAsync(25_000, 1000);
      await reading;
      expect(events).toHaveLength(2);
    });

    it('ends at once when the turn is aborted', async () => {
      const turn = new AbortController();
      const model = new ScriptedModel('first', clock, []);
      const heard = listen(withTimeouts(model, { limits: LIMITS, clock, onNotice }), turn.signal);
      await clock.advanceAsync(100);
      turn.abort();
      await clock.advanceAsync(20);
      expect(heard).toEqual({ text: '', error: undefined, done: true });
      expect(model.running).toBe(0);
      expect(clock.pending).toBe(0);
    });
  });

  describe('with a retry', () => {
    it('asks once more when nothing had been said', async () => {
      const model = new ScriptedModel('first', clock, [
        [{ afterMs: 10, fail: failure('disconnected') }],
        [{ afterMs: 10, say: 'Hello.' }],
      ]);
      const heard = listen(withRetry(model, onNotice));
      await clock.advanceAsync(100);
      expect(heard).toEqual({ text: 'Hello.', error: undefined, done: true });
      expect(notices).toEqual([
        { code: 'provider_retried', kind: 'llm', provider: 'first', cause: 'llm_disconnected' },
      ]);
    });

    it('never asks a third time', async () => {
      const fail = [{ afterMs: 10, fail: failure('unavailable') }];
      const model = new ScriptedModel('first', clock, [fail, fail, fail]);
      const heard = listen(withRetry(model, onNotice));
      await clock.advanceAsync(100);
      expect(heard.error).toMatchObject({ code: 'llm_unavailable' });
      expect(model.requests).toHaveLength(2);
    });

    it('does not repeat half an answer', async () => {
      const model = new ScriptedModel('first', clock, [
        [
          { afterMs: 10, say: 'Hel' },
          { afterMs: 10, fail: failure('disconnected') },
        ],
      ]);
      const heard = listen(withRetry(model, onNotice));
      await clock.advanceAsync(100);
      expect(heard).toMatchObject({ text: 'Hel', error: { code: 'llm_disconnected' } });
      expect(model.requests).toHaveLength(1);
    });

    it('does not repeat what cannot succeed', async () => {
      const model = new ScriptedModel('first', clock, [
        [{ afterMs: 10, fail: failure('unauthorized', false) }],
      ]);
      const heard = listen(withRetry(model, onNotice));
      await clock.advanceAsync(100);
      expect(heard.error).toMatchObject({ code: 'llm_unauthorized' });
      expect(model.requests).toHaveLength(1);
    });
  });

  describe('with a fallback', () => {
    const choice = { provider: 'second', model: 'b', params: {} };
    const credentials = { api_key: 'second-key' };

    it('lets the other model answer, with its own settings and key, whatever the reason', async () => {
      const first = new ScriptedModel('first', clock, [
        [{ afterMs: 10, fail: failure('unauthorized', false) }],
      ]);
      const second = new ScriptedModel('second', clock, [[{ afterMs: 10, say: 'Good day.' }]]);
      const model = withFallback(first, { model: second, choice, credentials }, { clock, onNotice });
      const heard = listen(model);
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
      const first = new ScriptedModel('first', clock, [
        [{ afterMs: 0, fail: failure('unavailable') }],
        [{ afterMs: 0, say: 'Back.' }],
      ]);
      const hello = [{ afterMs: 0, say: 'Hello.' }];
      const second = new ScriptedModel('second', clock, [hello, hello]);
      const model = withFallback(first, { model: second, choice, credentials }, { clock, onNotice });
      for (const expected of ['Hello.', 'Hello.', 'Back.']) {
        const heard = listen(model);
        await clock.advanceAsync(31_000, 1000);
        expect(heard.text).toBe(expected);
      }
      expect(first.requests).toHaveLength(2);
    });

    it('takes over from a model that timed out', async () => {
      const first = new ScriptedModel('first', clock, []);
      const second = new ScriptedModel('second', clock, [[{ afterMs: 10, say: 'Good day.' }]]);
      const timed = withTimeouts(first, { limits: LIMITS, clock, onNotice });
      const heard = listen(withFallback(timed, { model: second, choice, credentials }, { clock, onNotice }));
      await clock.advanceAsync(4100);
      expect(heard.text).toBe('Good day.');
      expect(notices.map((notice) => notice.code)).toEqual(['budget_passed', 'provider_replaced']);
      expect(first.running).toBe(0);
    });

    it('does not take over for a turn that was aborted', async () => {
      const turn = new AbortController();
      const first = new ScriptedModel('first', clock, []);
      const second = new ScriptedModel('second', clock, []);
      const model = withFallback(first, { model: second, choice, credentials }, { clock, onNotice });
      const heard = listen(model, turn.signal);
      await clock.advanceAsync(100);
      turn.abort();
      await clock.advanceAsync(100);
      expect(heard.done).toBe(true);
      expect(second.requests).toEqual([]);
    });
  });
});
