import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { callUsage } from '@voice/shared/contracts/call-events';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LlmRequest } from '../llm/port.js';
import { answerInTime } from '../resilience/answer-in-time.js';
import { Attempt } from '../resilience/attempt.js';
import { failure, listen, REQUEST, ScriptedModel, type Step } from '../resilience/testing/scripted-model.js';
import { TurnCut } from './turn-cut.js';
import { UsageMeter } from './usage-meter.js';

const choice = (provider: string) => ({ provider, model: 'a', params: {} });
const FIRST = { stt: choice('s'), llm: choice('first'), tts: choice('t') };
/** 40 and 20 characters: about 10 and 5 tokens. */
const QUESTION = 'Could you tell me when you open tomorrow';
const HALF = 'We open at eight and';
const request = { ...REQUEST, messages: [{ role: 'user' as const, content: QUESTION }] };

describe('what a call uses in vain', () => {
  let clock: ScriptedClock;
  let meter: UsageMeter;

  beforeEach(() => {
    clock = new ScriptedClock();
    meter = new UsageMeter();
  });

  const model = (name: string, ...answers: (readonly Step[])[]) => new ScriptedModel(name, clock, answers);
  const used = () => {
    const usage = meter.usage(FIRST);
    expect(callUsage.parse(usage)).toEqual(usage);
    return usage;
  };

  it('is estimated of an answer that is broken off, and marked as that', async () => {
    const turn = new AbortController();
    const slow = model('first', [
      { afterMs: 10, say: HALF },
      { afterMs: 60_000, say: ' more' },
    ]);
    const answer = read(
      meter.languageModel(slow, 'first').generate(request, new Attempt(turn.signal).signal),
    );
    await clock.advanceAsync(20);
    turn.abort(new TurnCut('dropped_guess'));
    const source = { provider: 'first', model: 'a', fallback: false };
    const tokens = { input_tokens: 10, output_tokens: 5 };
    const expected = {
      llm: { provider: 'first', model: 'a', ...tokens },
      segments: [
        { kind: 'llm', ...source, ...tokens, estimated_input_tokens: 10, estimated_output_tokens: 5 },
      ],
      wasted: [{ kind: 'llm', ...source, reason: 'dropped_guess', ...tokens }],
    };
    expect(used()).toMatchObject(expected);
    await clock.advanceAsync(100);
    await answer;
    expect(used()).toMatchObject(expected);
  });

  it('is what the provider counted where it did, also when the turn is dropped after its answer', async () => {
    const turn = new AbortController();
    const whole = {
      name: 'first',
      async *generate() {
        yield { type: 'text' as const, delta: HALF };
        yield { type: 'usage' as const, inputTokens: 100, outputTokens: 7 };
      },
    };
    await read(meter.languageModel(whole, 'first').generate(request, new Attempt(turn.signal).signal));
    expect(used().wasted).toBeUndefined();
    turn.abort(new TurnCut('dropped_guess'));
    expect(used()).toMatchObject({
      llm: { input_tokens: 100, output_tokens: 7 },
      wasted: [{ reason: 'dropped_guess', input_tokens: 100, output_tokens: 7 }],
    });
    expect(used().segments).toEqual([
      { kind: 'llm', provider: 'first', model: 'a', fallback: false, input_tokens: 100, output_tokens: 7 },
    ]);
  });

  it('keeps nothing of a conversation of which an answer was broken off, but its size', async () => {
    const turn = new AbortController();
    const cut = {
      name: 'first',
      async *generate(_: LlmRequest, signal: AbortSignal) {
        yield { type: 'text' as const, delta: HALF };
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        throw signal.reason;
      },
    };
    const ask = () => {
      const messages = [{ role: 'user' as const, content: QUESTION }];
      const asked = meter.languageModel(cut, 'first').generate({ ...REQUEST, messages }, turn.signal);
      return { answer: read(asked).catch(() => {}), conversation: new WeakRef(messages) };
    };
    const { answer, conversation } = ask();
    await new Promise(setImmediate);
    collectGarbage();
    expect(conversation.deref()).toBeDefined();
    turn.abort(new TurnCut('cut_speech', 8, 20));
    await answer;
    await new Promise(setImmediate);
    collectGarbage();
    expect(conversation.deref()).toBeUndefined();
    expect(used()).toMatchObject({
      llm: { input_tokens: 10, output_tokens: 5 },
      wasted: [{ reason: 'cut_speech', input_tokens: 0, output_tokens: 3 }],
    });
  });

  it('is all of a model beside which another was faster, and nothing of the other', async () => {
    const fallback = {
      model: meter.languageModel(model('second', [{ afterMs: 10, say: HALF }]), 'fallback'),
      choice: choice('second'),
      credentials: {},
    };
    const first = meter.languageModel(model('first'), 'first');
    const limits = { firstTokenMs: 1500, turnMs: 6000 };
    const heard = listen(answerInTime({ model: first, fallback, limits, clock, onNotice: () => {} }));
    await clock.advanceAsync(1600);
    expect(heard).toMatchObject({ text: HALF, done: true });
    expect(used().wasted).toEqual([
      {
        kind: 'llm',
        provider: 'first',
        model: 'a',
        fallback: false,
        reason: 'lost_race',
        input_tokens: 2,
        output_tokens: 0,
      },
    ]);
  });

  it('is the share of an answer that was not heard; what was sent was of use when any of it was heard', async () => {
    const turn = new AbortController();
    const slow = model('first', [
      { afterMs: 10, say: HALF },
      { afterMs: 60_000, say: ' more' },
    ]);
    void read(meter.languageModel(slow, 'first').generate(request, new Attempt(turn.signal).signal));
    await clock.advanceAsync(20);
    turn.abort(new TurnCut('cut_speech', 8, 20));
    expect(used().wasted).toMatchObject([{ reason: 'cut_speech', input_tokens: 0, output_tokens: 3 }]);
  });

  it('is nothing of a request that was refused, nor of a turn that was heard', async () => {
    const turn = new AbortController();
    const refused = model('first', [{ afterMs: 10, fail: failure('rate_limited') }]);
    const answer = read(meter.languageModel(refused, 'first').generate(request, turn.signal)).catch(() => {});
    await clock.advanceAsync(20);
    await answer;
    turn.abort();
    expect(used()).toMatchObject({ llm: { input_tokens: 0 }, segments: [] });
    expect(used().wasted).toBeUndefined();
  });
});

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

async function read(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}
