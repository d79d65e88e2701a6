import { turnTakingSettings } from '@voice/shared/contracts/agent';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, initialState } from './decide.js';
import type { TurnTakingEvent } from './events.js';
import { type AnyOrder, anyOrder, playToEnd } from './testing/any-order.js';
import { ending, generatedCall, live, looseEvent, texts, toolCall } from './testing/generated-call.js';
import type { Unstamped } from './testing/script.js';
import { ScriptedCall } from './testing/scripted-call.js';

/**
 * Generated calls: the scripted executor answers every effect with random delays, and the caller, the
 * recogniser and the outside interfere at random. `ScriptedCall` itself throws when two turns are audible,
 * an aborted turn is heard, a speculative turn acts outside, the history is not what was heard, a timer
 * is lost, or anything follows `hang_up`.
 */

const nextAgent = {
  settings: turnTakingSettings.parse({}),
  language: 'en-US',
  hearsWords: false,
  silenceTimeoutMs: 3000,
};
const options = {
  maxDurationMs: 24 * 3_600_000,
  hearsWords: false,
  firstMessage: 'Hello there.',
  disclosure: 'This call is recorded.',
  voicemail: { detect: false, action: 'hangup' as const, message: '' },
};
/** Of each property, other calls in every run; more by hand: PROPERTY_RUNS=20000. */
const runs = (usual: number): number => Number(process.env.PROPERTY_RUNS ?? usual);
/** Calls that were stuck once. */
const STUCK_ONCE: readonly AnyOrder[] = [
  {
    // An answer is owed, the next agent waits for silence, and a noise goes on for ever.
    script: { options: { ...options, firstMessage: '' } },
    steps: [
      { afterMs: 0, event: { type: 'dtmf', digit: '1' } },
      { afterMs: 1387, event: { type: 'conversation_replaced', hearsWords: true } },
      { afterMs: 113, event: { type: 'speech_started', startedAt: 0 } },
      { afterMs: 0, event: { type: 'handoff_ready', agent: nextAgent } },
    ],
    executorMs: 1,
  },
  {
    // The next agent waits for a turn that turns out to have nothing to say, and an answer is owed already.
    script: { settings: { preemptive_generation: 'off' }, options },
    steps: [
      { afterMs: 0, event: { type: 'transcript', text: 'stop', final: false, confidence: 0 } },
      { afterMs: 0, event: { type: 'playback_finished', turn: 2, playedMs: 0 } },
      { afterMs: 147, event: { type: 'handoff_ready', agent: nextAgent } },
      { afterMs: 241, event: { type: 'text', turn: 1, sentence: 'yes' } },
      { afterMs: 1550, event: { type: 'beep', hz: 1000, ms: 400 } },
      { afterMs: 2212, event: { type: 'speech_stopped', stoppedAt: 0 } },
    ],
    executorMs: 50,
  },
];

describe('any call, whatever happens in whatever order', () => {
  it('keeps one voice, plays no aborted turn, remembers what was heard, hangs up once', () => {
    fc.assert(
      fc.property(generatedCall, (generated) => {
        const call = live(generated);
        expect(call.all('hang_up')).toHaveLength(1);
        expect(call.openTimers.size).toBe(0);
      }),
      { numRuns: runs(600) },
    );
  });

  it('says nothing before the disclosure, but to a machine and in a goodbye that was forced', () => {
    fc.assert(
      fc.property(generatedCall, (generated) => {
        const { disclosure, voicemail } = generated;
        const call = live(generated);
        const [first] = call.all('play');
        const text = call.all('say').find(({ turn }) => turn === first?.turn)?.text;
        if (disclosure === null || !first || text === voicemail || generated.ending) return;
        expect(text).toBe(disclosure);
      }),
      { numRuns: runs(250) },
    );
  });

  it('never gets stuck: left alone, it ends by itself long before its maximum duration', () => {
    fc.assert(
      fc.property(generatedCall, (generated) => {
        const { script } = generated;
        const patient = { ...script, options: { ...script.options, maxDurationMs: 24 * 3_600_000 } };
        const call = live({ ...generated, script: patient });
        expect(call.ended?.reason).toBeDefined();
      }),
      { numRuns: runs(600) },
    );
  });

  it('ends, once, from whatever state any order of events has led to', () => {
    fc.assert(
      fc.property(anyOrder, (order) => {
        expect(playToEnd(order)).toBe(1);
      }),
      { numRuns: runs(600), examples: STUCK_ONCE.map((order) => [order]) },
    );
  });

  it('drops no more speculative answers than its turns pay for', () => {
    fc.assert(
      fc.property(generatedCall, (generated) => {
        const call = live(generated);
        fc.pre(call.options.hearsWords !== false);
        const dropped = call.all('report').filter(({ metric }) => metric.name === 'speculation_dropped');
        const turns = call.all('remember').filter(({ entry }) => entry.role === 'caller');
        // Half a one in advance, and less than two that are not paid for.
        expect(dropped.length).toBeLessThan(2.5 + 0.1 * turns.length);
      }),
      { numRuns: runs(250) },
    );
  });

  it('speculates only as the agent wants', () => {
    fc.assert(
      fc.property(generatedCall, (generated) => {
        const call = live(generated);
        // The agent that a call is handed to speculates as itself wants.
        fc.pre(call.all('hand_over').length === 0);
        const mode = call.options.settings.preemptive_generation;
        for (const { speculative } of call.all('generate')) {
          if (speculative !== false) expect(speculative).toBe(mode);
        }
      }),
      { numRuns: runs(150) },
    );
  });

  it('gives the model every tool call with its result, and no other', () => {
    fc.assert(
      fc.property(generatedCall, (generated) => {
        const { history } = live(generated);
        history.forEach((entry, position) => {
          if (entry.role !== 'assistant' || entry.toolCalls.length === 0) return;
          const results = history.slice(position + 1, position + 1 + entry.toolCalls.length);
          expect(results.map((result) => (result.role === 'tool' ? result.toolCallId : result.role))).toEqual(
            entry.toolCalls.map((toolCall) => toolCall.id),
          );
        });
      }),
      { numRuns: runs(150) },
    );
  });

  it('runs each tool call at most once', () => {
    fc.assert(
      fc.property(generatedCall, (generated) => {
        const ids = live(generated)
          .all('run_tool')
          .map((effect) => effect.call.id);
        expect(new Set(ids).size).toBe(ids.length);
      }),
      { numRuns: runs(150) },
    );
  });

  it('is decided again byte for byte from its log', () => {
    fc.assert(
      fc.property(generatedCall, (generated) => {
        const call = live(generated);
        const log = JSON.parse(JSON.stringify({ options: call.options, log: call.log })) as typeof call;
        let state = initialState(log.options);
        for (const { event, effects } of log.log) {
          const decision = decide(state, event);
          state = decision.state;
          expect(JSON.stringify(decision.effects)).toBe(JSON.stringify(effects));
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it('never changes a state that it was given', () => {
    fc.assert(
      fc.property(generatedCall, (generated) => {
        const call = live(generated);
        let state = initialState(call.options);
        for (const { event } of call.log) {
          const before = JSON.stringify(state);
          const decision = decide(state, event);
          expect(JSON.stringify(state)).toBe(before);
          state = decision.state;
        }
      }),
      { numRuns: runs(40) },
    );
  });

  it('survives events in no order at all', () => {
    const turn = fc.integer({ min: 0, max: 5 });
    const any: fc.Arbitrary<Unstamped> = fc.oneof(
      looseEvent(),
      ending,
      fc.constant({ type: 'call_started' as const }),
      fc.record({ type: fc.constant('audio_ready' as const), turn }),
      fc.record({ type: fc.constant('text' as const), turn, sentence: texts }),
      fc.record({ type: fc.constant('tool_call' as const), turn, call: toolCall }),
      fc.record({ type: fc.constant('generation_finished' as const), turn }),
      fc.record({
        type: fc.constant('generation_failed' as const),
        turn,
        retryable: fc.boolean(),
        code: fc.constant('x'),
      }),
      fc.record({ type: fc.constant('playback' as const), turn, playedMs: fc.nat(9000) }),
      fc.record({ type: fc.constant('playback_finished' as const), turn, playedMs: fc.nat(9000) }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(any, fc.nat(2000)), { maxLength: 60 }), (events) => {
        const call = new ScriptedCall({ options: { firstMessage: 'Hello there.' } });
        let state = initialState(call.options);
        let at = 0;
        let hangUps = 0;
        for (const [event, later] of events) {
          at += later;
          const decision = decide(state, { ...event, at } as TurnTakingEvent);
          state = decision.state;
          hangUps += decision.effects.filter((effect) => effect.type === 'hang_up').length;
        }
        expect(hangUps).toBeLessThanOrEqual(1);
      }),
      { numRuns: runs(400) },
    );
  });
});
