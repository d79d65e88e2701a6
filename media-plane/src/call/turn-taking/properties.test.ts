import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, initialState } from './decide.js';
import type { TurnTakingEvent } from './events.js';
import { type Answer, type ScriptedCallOptions, tool } from './testing/script.js';
import { ScriptedCall, type Unstamped } from './testing/scripted-call.js';

/**
 * Generated calls: the scripted executor answers every effect with random delays, and the caller, the
 * recogniser and the outside interfere at random. `ScriptedCall` itself throws when two turns are audible,
 * an aborted turn is heard, a speculative turn acts outside, the history is not what was heard, a timer
 * is lost, or anything follows `hang_up`.
 */

const texts = fc.constantFrom(
  'yes',
  'mhm',
  'okay right',
  'stop',
  'I want to book a table',
  'I want to',
  'my number is five five five',
  'hello',
  'um and',
);

const callerAction: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    kind: fc.constant('says' as const),
    text: texts,
    interimMs: fc.nat(600),
    finalMs: fc.nat(3500),
  }),
  fc.record({ kind: fc.constant('coughs' as const), lastsMs: fc.integer({ min: 60, max: 5000 }) }),
  fc.record({ kind: fc.constant('event' as const), event: looseEvent() }),
);

type Action =
  | { readonly kind: 'says'; readonly text: string; readonly interimMs: number; readonly finalMs: number }
  | { readonly kind: 'coughs'; readonly lastsMs: number }
  | { readonly kind: 'event'; readonly event: Unstamped };

/** What may come at any time, in any order: also what makes no sense. */
function looseEvent(): fc.Arbitrary<Unstamped> {
  const confidence = fc.double({ min: 0, max: 1, noNaN: true });
  const turn = fc.integer({ min: 0, max: 12 });
  return fc.oneof(
    fc.record({ type: fc.constant('transcript' as const), text: texts, final: fc.boolean(), confidence }),
    fc.record({
      type: fc.constant('transcript' as const),
      text: fc.constant(''),
      final: fc.constant(true),
      confidence,
    }),
    fc.record({
      type: fc.constant('end_of_turn' as const),
      source: fc.constantFrom('stt' as const, 'flux' as const, 'semantic' as const, 'realtime' as const),
      confidence,
    }),
    fc.record({ type: fc.constant('transcribed' as const), answer: turn, text: texts }),
    fc.record({ type: fc.constant('conversation_replaced' as const), hearsWords: fc.constant(true) }),
    fc.record({ type: fc.constant('eager_end_of_turn' as const), confidence, text: texts }),
    fc.constant({ type: 'turn_resumed' as const }),
    fc.record({ type: fc.constant('dtmf' as const), digit: fc.constantFrom('1', '5', '#') }),
    fc.record({ type: fc.constant('whisper' as const), text: fc.constant('be kind') }),
    fc.record({ type: fc.constant('speech_started' as const), startedAt: fc.nat(60_000) }),
    fc.record({ type: fc.constant('speech_stopped' as const), stoppedAt: fc.nat(60_000) }),
    // Of turns that are over, or never were.
    fc.record({ type: fc.constant('text' as const), turn: fc.constant(0), sentence: fc.constant('ghost') }),
    fc.record({
      type: fc.constant('cleared' as const),
      turn,
      heardMs: fc.constant(0),
      heardText: fc.constant(''),
    }),
    fc.record({
      type: fc.constant('tool_finished' as const),
      callId: fc.constant('ghost'),
      ok: fc.boolean(),
      result: texts,
    }),
    fc.record({
      type: fc.constant('timer' as const),
      name: fc.constantFrom(
        'endpointing' as const,
        'barge_in' as const,
        'silence' as const,
        'closing' as const,
      ),
    }),
  );
}

const ending: fc.Arbitrary<Unstamped> = fc.oneof(
  fc.constant({ type: 'carrier_stopped' as const }),
  fc.constant({ type: 'operator_hangup' as const, reason: 'operator_hangup' as const }),
  fc.constant({ type: 'limit_reached' as const, limit: 'max_duration' as const }),
  fc.constant({ type: 'provider_failed' as const, code: 'gone' }),
  fc.record({
    type: fc.constant('machine_detected' as const),
    kind: fc.constantFrom('machine_start' as const, 'machine_end' as const, 'fax' as const),
  }),
);

const toolCall = fc.constantFrom(
  tool('look', { sideEffects: false }),
  tool('book'),
  tool('nonsense', { kind: 'unknown', sideEffects: false }),
  tool('transfer', { kind: 'transfer_call' }),
  tool('keys', { kind: 'send_dtmf' }),
  tool('bye', { kind: 'end_call' }),
);

const answer: fc.Arbitrary<Answer> = fc.record({
  sentences: fc.array(fc.constantFrom('Certainly, I can do that.', 'Would that suit you?', 'One.'), {
    maxLength: 3,
  }),
  toolCalls: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(toolCall, { maxLength: 2 }) },
  ),
  firstTokenMs: fc.integer({ min: 1, max: 4000 }),
  sentenceMs: fc.integer({ min: 1, max: 1500 }),
  fails: fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.record({ retryable: fc.boolean() }) },
  ),
});

interface Generated {
  readonly script: ScriptedCallOptions;
  readonly actions: readonly { readonly afterMs: number; readonly action: Action }[];
  readonly ending: { readonly afterMs: number; readonly event: Unstamped } | null;
}

const generatedCall: fc.Arbitrary<Generated> = fc
  .record({
    disclosure: fc.option(fc.constant('This call is recorded.'), { nil: null }),
    firstMessage: fc.constantFrom('', 'Hello, this is Anna. How can I help?'),
    action: fc.constantFrom('hangup' as const, 'leave_message' as const),
    message: fc.constantFrom('', 'Please call us back.'),
    preemptive: fc.boolean(),
    hearsWords: fc.boolean(),
    turnDetection: fc.constantFrom('service' as const, 'provider' as const),
    answers: fc.array(answer, { minLength: 1, maxLength: 6 }),
    voiceMs: fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 5 }),
    toolMs: fc.array(fc.integer({ min: 0, max: 4000 }), { minLength: 1, maxLength: 4 }),
    toolsOk: fc.boolean(),
    actions: fc.array(fc.record({ afterMs: fc.nat(2500), action: callerAction }), { maxLength: 14 }),
    ending: fc.option(fc.record({ afterMs: fc.nat(40_000), event: ending }), { nil: null, freq: 2 }),
  })
  .map((g) => ({
    script: {
      options: {
        disclosure: g.disclosure,
        firstMessage: g.firstMessage,
        maxDurationMs: 90_000,
        hearsWords: g.hearsWords,
        voicemail: { detect: true, action: g.action, message: g.message },
      },
      settings: { preemptive_generation: g.preemptive, turn_detection: g.turnDetection },
      // Every call has its own id, as a model gives them.
      model: (n) => {
        const chosen = g.answers[n % g.answers.length] as Answer;
        const toolCalls = chosen.toolCalls?.map((call, index) => ({ ...call, id: `${n}_${index}` }));
        return { ...chosen, toolCalls };
      },
      voiceMs: (n) => g.voiceMs[n % g.voiceMs.length] as number,
      toolMs: (n) => g.toolMs[n % g.toolMs.length] as number,
      toolResult: () => ({ ok: g.toolsOk, result: 'result' }),
    },
    actions: g.actions,
    ending: g.ending,
  }));

function live({ script, actions, ending: end }: Generated): ScriptedCall {
  const call = new ScriptedCall(script).start();
  if (end) call.send(end.event, end.afterMs + 1);
  for (const { afterMs, action } of actions) {
    call.run(afterMs);
    if (action.kind === 'says')
      call.callerSays(action.text, { interimMs: action.interimMs, finalMs: action.finalMs });
    else if (action.kind === 'coughs') call.callerCoughs(action.lastsMs);
    else call.send(action.event);
  }
  return call.run(200_000);
}

describe('any call, whatever happens in whatever order', () => {
  it('keeps one voice, plays no aborted turn, remembers what was heard, hangs up once', () => {
    fc.assert(
      fc.property(generatedCall, (generated) => {
        const call = live(generated);
        expect(call.all('hang_up')).toHaveLength(1);
        expect(call.openTimers.size).toBe(0);
      }),
      { numRuns: 1500 },
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
      { numRuns: 1500 },
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
      { numRuns: 300 },
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
      { numRuns: 300 },
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
      { numRuns: 200 },
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
      { numRuns: 60 },
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
      { numRuns: 1000 },
    );
  });
});
