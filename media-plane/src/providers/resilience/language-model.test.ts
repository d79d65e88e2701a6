import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LlmEvent } from '../llm/port.js';
import { withTimeouts } from './language-model.js';
import type { ResilienceNotice } from './notice.js';
import { listen, REQUEST, ScriptedModel } from './testing/scripted-model.js';

const LIMITS = { budgetMs: 750, firstTimeoutMs: 4000, idleTimeoutMs: 2000 };

describe('a language model with time-outs', () => {
  let clock: ScriptedClock;
  let notices: ResilienceNotice[];
  const onNotice = (notice: ResilienceNotice) => notices.push(notice);

  beforeEach(() => {
    clock = new ScriptedClock();
    notices = [];
  });

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

  it('takes each part of a long tool call for a sign of life', async () => {
    const part = { afterMs: 1500, part: 'of a tool call' } as const;
    const model = new ScriptedModel('first', clock, [[part, part, part, part, { afterMs: 0, say: 'Done.' }]]);
    const heard = listen(withTimeouts(model, { limits: LIMITS, clock, onNotice }));
    await clock.advanceAsync(6100);
    expect(heard).toEqual({ text: 'Done.', error: undefined, done: true });
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
