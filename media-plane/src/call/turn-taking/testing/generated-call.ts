import { turnTakingSettings } from '@voice/shared/contracts/agent';
import fc from 'fast-check';
import type { Estimate } from '../estimate.js';
import type { NextAgent } from '../next-agent.js';
import { type Answer, type ScriptedCallOptions, tool, type Unstamped } from './script.js';
import { ScriptedCall } from './scripted-call.js';

export const texts = fc.constantFrom(
  'yes',
  'mhm',
  'okay right',
  'stop',
  'I want to book a table',
  'I want to',
  'my number is five five five',
  'hello',
  'um and',
  'please leave a message after the tone',
);

/** Speech that began or ended at some time, and is known by up to two seconds late. */
export const speechEdge: fc.Arbitrary<Unstamped> = fc.oneof(
  fc.record({
    type: fc.constant('speech_started' as const),
    startedAt: fc.nat(60_000),
    lateMs: fc.nat(2000),
  }),
  fc.record({
    type: fc.constant('speech_stopped' as const),
    stoppedAt: fc.nat(60_000),
    lateMs: fc.nat(2000),
  }),
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

/** Generates what may come at any time, in any order: also what makes no sense. */
export function looseEvent(): fc.Arbitrary<Unstamped> {
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
      source: fc.constantFrom('stt' as const, 'flux' as const, 'realtime' as const),
      confidence,
    }),
    fc.record({
      type: fc.constant('turn_completion' as const),
      probability: confidence,
      stoppedAt: fc.nat(60_000),
    }),
    fc.record({ type: fc.constant('transcribed' as const), answer: turn, text: texts }),
    fc.record({ type: fc.constant('conversation_replaced' as const), hearsWords: fc.constant(true) }),
    fc.record({ type: fc.constant('handoff_ready' as const), agent: nextAgent() }),
    fc.record({ type: fc.constant('eager_end_of_turn' as const), confidence, text: texts }),
    fc.constant({ type: 'turn_resumed' as const }),
    fc.record({ type: fc.constant('dtmf' as const), digit: fc.constantFrom('1', '5', '#') }),
    fc.record({ type: fc.constant('whisper' as const), text: fc.constant('be kind') }),
    fc.record({ type: fc.constant('beep' as const), hz: fc.constant(1000), ms: fc.constant(400) }),
    fc.record({
      type: fc.constant('machine_detected' as const),
      kind: fc.constantFrom('machine_start' as const, 'machine_end' as const, 'human' as const),
    }),
    { weight: 2, arbitrary: speechEdge },
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
        'answering_machine' as const,
        'closing' as const,
      ),
    }),
  );
}

function nextAgent(): fc.Arbitrary<NextAgent> {
  return fc.record({
    settings: fc.constant(turnTakingSettings.parse({})),
    language: fc.constantFrom('en-US', 'de-DE'),
    hearsWords: fc.boolean(),
    silenceTimeoutMs: fc.constantFrom(3000, 10_000),
  });
}

export const ending: fc.Arbitrary<Unstamped> = fc.oneof(
  fc.constant({ type: 'carrier_stopped' as const }),
  fc.constant({ type: 'operator_hangup' as const, reason: 'operator_hangup' as const }),
  fc.constant({ type: 'limit_reached' as const, limit: 'max_duration' as const }),
  fc.constant({ type: 'provider_failed' as const, code: 'gone' }),
  fc.record({
    type: fc.constant('machine_detected' as const),
    kind: fc.constantFrom('machine_start' as const, 'machine_end' as const, 'fax' as const, 'human' as const),
  }),
);

export const toolCall = fc.constantFrom(
  tool('look', { sideEffects: false }),
  tool('book'),
  tool('search', { sideEffects: false, endsWithCallerSpeech: true }),
  tool('nonsense', { kind: 'unknown', sideEffects: false }),
  tool('transfer', { kind: 'transfer_call' }),
  tool('colleague', { kind: 'transfer_to_agent' }),
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

/** Generates what was measured in calls before. */
function estimate(max: number): fc.Arbitrary<Estimate> {
  const upTo = fc.double({ min: 0, max, noNaN: true });
  return fc.record({ count: fc.nat(100), mean: upTo, deviation: upTo });
}

interface Generated {
  readonly disclosure: string | null;
  readonly voicemail: string;
  readonly voiceFails: readonly boolean[];
  readonly script: ScriptedCallOptions;
  readonly actions: readonly { readonly afterMs: number; readonly action: Action }[];
  readonly ending: { readonly afterMs: number; readonly event: Unstamped } | null;
}

export const generatedCall: fc.Arbitrary<Generated> = fc
  .record({
    disclosure: fc.option(fc.constant('This call is recorded.'), { nil: null }),
    firstMessage: fc.constantFrom('', 'Hello, this is Anna. How can I help?'),
    action: fc.constantFrom('hangup' as const, 'leave_message' as const),
    message: fc.constantFrom('', 'Please call us back.'),
    preemptive: fc.constantFrom('off' as const, 'llm' as const, 'llm_and_voice' as const),
    hearsWords: fc.boolean(),
    recogniser: fc.option(fc.record({ finalMs: estimate(3000), revised: estimate(1) }), { nil: undefined }),
    turnDeadlineMs: fc.constantFrom(undefined, 1000, 6000),
    turnDetection: fc.constantFrom('service' as const, 'provider' as const),
    semantic: fc.constantFrom('off' as const, 'on' as const),
    answers: fc.array(answer, { minLength: 1, maxLength: 6 }),
    voiceMs: fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 5 }),
    /** Of the fixed texts, in their order; those after them are spoken. */
    voiceFails: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(fc.boolean(), { maxLength: 5 }) },
    ),
    toolMs: fc.array(fc.integer({ min: 0, max: 9000 }), { minLength: 1, maxLength: 4 }),
    toolsOk: fc.boolean(),
    actions: fc.array(fc.record({ afterMs: fc.nat(2500), action: callerAction }), { maxLength: 14 }),
    ending: fc.option(fc.record({ afterMs: fc.nat(40_000), event: ending }), { nil: null, freq: 2 }),
  })
  .map((g) => ({
    disclosure: g.disclosure,
    voicemail: g.message,
    voiceFails: g.voiceFails,
    script: {
      options: {
        disclosure: g.disclosure,
        firstMessage: g.firstMessage,
        maxDurationMs: 90_000,
        hearsWords: g.hearsWords,
        ...(g.recogniser ? { recogniser: g.recogniser } : {}),
        ...(g.turnDeadlineMs === undefined ? {} : { turnDeadlineMs: g.turnDeadlineMs }),
        voicemail: { detect: true, action: g.action, message: g.message },
      },
      settings: {
        preemptive_generation: g.preemptive,
        turn_detection: g.turnDetection,
        semantic_end_of_turn: g.semantic,
      },
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

/** Plays a generated call to its end. */
export function live({ script, voiceFails, actions, ending: end }: Generated): ScriptedCall {
  const fails = voiceFails.values();
  const call = new ScriptedCall({ ...script, voiceFails: () => fails.next().value ?? false }).start();
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
