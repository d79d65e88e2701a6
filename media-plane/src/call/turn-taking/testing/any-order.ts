import { turnTakingSettings } from '@voice/shared/contracts/agent';
import fc from 'fast-check';
import { decide, initialState, type State } from '../decide.js';
import { TIMER_NAMES, type TimerName, type TurnTakingEvent } from '../events.js';
import type { NextAgent } from '../next-agent.js';
import { ending, looseEvent, speechEdge, texts, toolCall } from './generated-call.js';
import type { ScriptedCallOptions, Unstamped } from './script.js';
import { ScriptedCall } from './scripted-call.js';

/**
 * Calls of events in any order, also of orders that no executor would report. Afterwards all that the state waits for
 * comes, and nothing else: a call that goes on for ever is stuck.
 */

/** From here on a number names the state's n-th turn, or tool, whichever that is by then. */
const FIRST_LIVE = 1000;
const LIVE = 3;
/** Longer than any silence, and with all prompts, the goodbye and what answering machines take. In ms. */
const LONGEST_MS = 400_000;
const MOST_STEPS = 3000;

export interface AnyOrder {
  readonly script: ScriptedCallOptions;
  readonly steps: readonly Step[];
  /** How long all that the state waits for takes, in ms. */
  readonly executorMs: number;
}

interface Step {
  readonly afterMs: number;
  /** `next`: the n-th of what the state waits for. */
  readonly event: Unstamped | { readonly type: 'next'; readonly n: number };
}

const turn = fc.oneof(
  fc.integer({ min: 1, max: 6 }),
  fc.integer({ min: FIRST_LIVE, max: FIRST_LIVE + LIVE - 1 }),
);

const settings = fc.constantFrom(
  turnTakingSettings.parse({}),
  turnTakingSettings.parse({ fillers: [], silence_prompts: [], silence_goodbye: '' }),
  turnTakingSettings.parse({ turn_detection: 'provider', preemptive_generation: 'llm_and_voice' }),
);

const nextAgent: fc.Arbitrary<NextAgent> = fc
  .record({
    settings,
    language: fc.constantFrom('en-US', 'de-DE'),
    hearsWords: fc.boolean(),
    silenceTimeoutMs: fc.constantFrom(3000, 10_000),
    turnDeadlineMs: fc.constantFrom(undefined, 1000),
  })
  .map(({ turnDeadlineMs, ...agent }) =>
    turnDeadlineMs === undefined ? agent : { ...agent, turnDeadlineMs },
  );

/** Every event that there is; `call_started` comes first of all. */
const anyEvent: fc.Arbitrary<Unstamped> = fc.oneof(
  { weight: 4, arbitrary: looseEvent() },
  { weight: 2, arbitrary: speechEdge },
  fc.record({ type: fc.constant('conversation_replaced' as const), hearsWords: fc.boolean() }),
  fc.record({ type: fc.constant('handoff_ready' as const), agent: nextAgent }),
  fc.record({ type: fc.constant('transcribed' as const), answer: turn, text: texts }),
  fc.record({ type: fc.constant('timer' as const), name: fc.constantFrom(...TIMER_NAMES) }),
  fc.record({ type: fc.constant('audio_ready' as const), turn }),
  fc.record({ type: fc.constant('text' as const), turn, sentence: texts }),
  fc.record({
    type: fc.constant('tool_call' as const),
    turn,
    call: fc.tuple(toolCall, fc.nat(99)).map(([call, n]) => ({ ...call, id: `${call.id}_${n}` })),
  }),
  fc.record({ type: fc.constant('generation_finished' as const), turn }),
  fc.record({
    type: fc.constant('generation_failed' as const),
    turn,
    retryable: fc.boolean(),
    code: fc.constant('x'),
  }),
  fc.record({ type: fc.constant('playback' as const), turn, playedMs: fc.nat(9000) }),
  fc.record({ type: fc.constant('playback_finished' as const), turn, playedMs: fc.nat(9000) }),
  fc.record({
    type: fc.constant('cleared' as const),
    turn,
    heardMs: fc.constantFrom(0, 500),
    heardText: fc.constantFrom('', 'Certainly.'),
  }),
  fc.record({
    type: fc.constant('tool_finished' as const),
    callId: fc.nat(LIVE - 1).map(String),
    ok: fc.boolean(),
    result: texts,
  }),
);

const step: fc.Arbitrary<Step> = fc.record({
  afterMs: fc.oneof(fc.constant(0), fc.nat(300), fc.nat(4000)),
  event: fc.oneof(
    { weight: 24, arbitrary: anyEvent },
    { weight: 4, arbitrary: fc.record({ type: fc.constant('next' as const), n: fc.nat(1) }) },
    { weight: 1, arbitrary: ending },
  ),
});

export const anyOrder: fc.Arbitrary<AnyOrder> = fc.record({
  script: fc.record({
    settings: fc.oneof(
      settings,
      fc.record({
        turn_detection: fc.constantFrom('service' as const, 'provider' as const),
        semantic_end_of_turn: fc.constantFrom('off' as const, 'on' as const),
        preemptive_generation: fc.constantFrom('off' as const, 'llm' as const, 'llm_and_voice' as const),
      }),
    ),
    options: fc.record({
      firstMessage: fc.constantFrom('', 'Hello there.'),
      disclosure: fc.constantFrom(null, 'This call is recorded.'),
      hearsWords: fc.boolean(),
      // The end that is looked for is not that by the clock.
      maxDurationMs: fc.constant(24 * 3_600_000),
      voicemail: fc.record({
        detect: fc.boolean(),
        action: fc.constantFrom('hangup' as const, 'leave_message' as const),
        message: fc.constantFrom('', 'Please call us back.'),
      }),
    }),
  }),
  steps: fc.array(step, { maxLength: 40 }),
  executorMs: fc.constantFrom(1, 50, 700, 3000),
});

/**
 * Plays the order, then lets come what the state waits for until the call has ended. Returns how often it hung up.
 * @throws Error with the state in which it is stuck
 */
export function playToEnd({ script, steps, executorMs }: AnyOrder): number {
  let state = initialState(new ScriptedCall(script).options);
  let at = 0;
  let hangUps = 0;
  const take = (event: Unstamped) => {
    const decision = decide(state, { ...event, at } as TurnTakingEvent);
    state = decision.state;
    hangUps += decision.effects.filter(({ type }) => type === 'hang_up').length;
  };
  const fire = ({ name, at: due }: DueTimer) => {
    at = Math.max(at, due);
    take({ type: 'timer', name });
  };
  take({ type: 'call_started' });
  for (const { afterMs, event } of steps) {
    const until = at + afterMs;
    for (let timer = nextTimer(state); timer && timer.at <= until; timer = nextTimer(state)) fire(timer);
    at = until;
    if (event.type !== 'next') take(addressed(event, state));
    else {
      const awaited = awaitedBy(state);
      const chosen = awaited[event.n % Math.max(1, awaited.length)];
      if (chosen) take(chosen);
    }
  }
  const from = at;
  for (let n = 0; !state.over; n++) {
    const [awaited] = awaitedBy(state);
    const timer = nextTimer(state);
    const due = awaited ? Math.min(at + executorMs, timer?.at ?? Number.POSITIVE_INFINITY) : timer?.at;
    if (due === undefined || due - from > LONGEST_MS || n > MOST_STEPS) throw new Error(describe(state, at));
    if (awaited && (!timer || at + executorMs < timer.at)) {
      at += executorMs;
      take(awaited);
    } else if (timer) fire(timer);
  }
  return hangUps;
}

interface DueTimer {
  readonly name: TimerName;
  readonly at: number;
}

function nextTimer({ timers, over }: State): DueTimer | undefined {
  if (over) return undefined;
  let next: DueTimer | undefined;
  for (const name of TIMER_NAMES) {
    const at = timers[name];
    if (at !== undefined && (!next || at < next.at)) next = { name, at };
  }
  return next;
}

/** Returns what models, voices, tools and the line still owe. */
function awaitedBy({ turns, tools }: State): Unstamped[] {
  const ofTurns = turns.flatMap(({ id, phase, complete, audioReady, mute }): Unstamped[] => {
    if (phase === 'clearing') return [{ type: 'cleared', turn: id, heardMs: 0, heardText: '' }];
    if (phase === 'preparing' && !audioReady && !mute) return [{ type: 'audio_ready', turn: id }];
    if (!complete) return [{ type: 'generation_finished', turn: id }];
    return phase === 'playing' ? [{ type: 'playback_finished', turn: id, playedMs: 500 }] : [];
  });
  const ofTools = tools
    .filter(({ status }) => status === 'running')
    .map(({ call }): Unstamped => ({ type: 'tool_finished', callId: call.id, ok: true, result: 'done' }));
  return [...ofTurns, ...ofTools];
}

/** Returns the event with the number of a turn, or the id of a tool, that is there. */
function addressed(event: Unstamped, { turns, tools }: State): Unstamped {
  const live = (number: number) =>
    number < FIRST_LIVE ? number : (turns[(number - FIRST_LIVE) % Math.max(1, turns.length)]?.id ?? 1);
  if ('turn' in event) return { ...event, turn: live(event.turn) };
  if (event.type === 'transcribed') return { ...event, answer: live(event.answer) };
  if (event.type !== 'tool_finished') return event;
  const run = tools[Number(event.callId) % Math.max(1, tools.length)];
  return run ? { ...event, callId: run.call.id } : event;
}

function describe(state: State, at: number): string {
  const { options: _options, history: _history, ...rest } = state;
  return `stuck at ${at} ms: ${JSON.stringify(rest)}`;
}
