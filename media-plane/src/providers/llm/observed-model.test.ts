import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { expect, it } from 'vitest';
import { failure, REQUEST, ScriptedModel, type Step } from '../resilience/testing/scripted-model.js';
import { type ModelRequest, observedModel } from './observed-model.js';
import type { LlmEvent } from './port.js';

const clock = new ScriptedClock();

/** Asks a scripted model and leaves after so many events, or when the answer is over. */
async function observe(
  steps: readonly Step[],
  { signal = new AbortController().signal, leavesAfter = Number.POSITIVE_INFINITY, keepsText = false } = {},
): Promise<{ seen: ModelRequest[]; events: LlmEvent[] }> {
  const seen: ModelRequest[] = [];
  const model = observedModel(new ScriptedModel('first', clock, [steps]), {
    clock,
    keepsText,
    onRequest: (request) => seen.push(request),
  });
  const events: LlmEvent[] = [];
  const reading = (async () => {
    for await (const event of model.generate({ ...REQUEST, turn: 3 }, signal)) {
      events.push(event);
      if (events.length >= leavesAfter) break;
    }
  })().catch(() => {});
  for (let passed = 0; passed < 1000; passed += 50) await clock.advanceAsync(50);
  await reading;
  return { seen, events };
}

it('measures a request to its first token and to its end', async () => {
  const before = clock.now();
  const { seen, events } = await observe([
    { afterMs: 200, say: 'Hello ' },
    { afterMs: 300, say: 'Ada.' },
  ]);
  expect(events.map((event) => event.type)).toEqual(['text', 'text']);
  expect(seen).toMatchObject([
    {
      provider: 'first',
      model: 'a',
      turn: 3,
      startedAt: before,
      firstTokenMs: 200,
      durationMs: 500,
      isCancelled: false,
      error: undefined,
      text: '',
    },
  ]);
});

it('keeps the text where that is wanted', async () => {
  const { seen } = await observe([{ afterMs: 0, say: 'Hello.' }], { keepsText: true });
  expect(seen).toMatchObject([{ text: 'Hello.', messages: REQUEST.messages }]);
});

it('keeps a failure apart from an answer that nobody wanted any more', async () => {
  const failed = await observe([{ afterMs: 100, fail: failure('rate_limited') }]);
  expect(failed.seen).toMatchObject([
    { error: failure('rate_limited').code, isCancelled: false, firstTokenMs: undefined },
  ]);

  const left = await observe(
    [
      { afterMs: 0, say: 'a' },
      { afterMs: 50, say: 'b' },
    ],
    { leavesAfter: 1 },
  );
  expect(left.seen).toMatchObject([{ error: undefined, isCancelled: true }]);

  const turn = new AbortController();
  clock.schedule(100, () => turn.abort());
  const aborted = await observe([{ afterMs: 500, say: 'late' }], { signal: turn.signal });
  expect(aborted.seen).toMatchObject([{ error: undefined, isCancelled: true, durationMs: 100 }]);

  const late = new AbortController();
  clock.schedule(100, () => late.abort(failure('timed_out')));
  const timedOut = await observe([{ afterMs: 500, say: 'late' }], { signal: late.signal });
  expect(timedOut.seen).toMatchObject([{ error: failure('timed_out').code, isCancelled: false }]);
});
