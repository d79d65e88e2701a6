import type { EndReason } from '@voice/shared/contracts/primitives';
import { type AnswerEvidence, type Machine, NO_EVIDENCE } from './answering-machine/answer.js';
import type { Effect, HistoryEntry } from './effects.js';
import type { TimerName, ToolCall } from './events.js';
import { type Guessing, initialGuessing } from './guessing.js';
import type { NextAgent } from './next-agent.js';
import type { ReadableState, TurnTakingOptions } from './port.js';
import { EMPTY_UTTERANCE, hasInput, type Utterance } from './utterance.js';

/** What the voice-activity detector says of the caller. Times in ms since the media stream began. */
export type Caller =
  | { readonly phase: 'silent' }
  /** `noise`: it has lasted long without a word, so it no longer holds the floor. */
  | { readonly phase: 'speaking'; readonly since: number; readonly noise: boolean }
  /**
   * Stopped, maybe not finished. `startedAt`: since when they had spoken; `spokenMs`: how long that lasted, as it was
   * spoken: the line may have brought it at once.
   */
  | {
      readonly phase: 'trailing';
      readonly since: number;
      readonly startedAt: number;
      readonly spokenMs: number;
    };

/** A turn of the caller whose words are learnt afterwards. */
export interface UntranscribedTurn {
  readonly index: number;
  /** Position of its entry in the history; null while the turn is reopened. */
  readonly historyAt: number | null;
  readonly utterance: Utterance;
  /** When its speech ended, as it was spoken. */
  readonly spokenUntilMs: number;
  /** The agent's turns that were to answer it (it may have been reopened), each with the words before it. */
  readonly parts: readonly { readonly answer: number; readonly text: string }[];
  /** The turn that answers it is not known yet. */
  readonly open: boolean;
}

/** The caller's last turn that the agent took up: later text may belong to it. */
export interface CallerTurn {
  readonly utterance: Utterance;
  readonly index: number;
  /** Position of its entry in the history. */
  readonly historyAt: number;
  /** When the end of its speech reached us, and when it was spoken. */
  readonly endedAtMs: number;
  readonly spokenUntilMs: number;
}

export type TurnPurpose =
  | 'disclosure'
  | 'first_message'
  | 'answer'
  | 'filler'
  | 'silence_prompt'
  | 'goodbye'
  | 'apology'
  | 'voicemail';

/** A turn of the agent from its preparation until it was heard, cleared or aborted. */
export interface Turn {
  readonly id: number;
  readonly purpose: TurnPurpose;
  readonly uninterruptible: boolean;
  /** What it says, as far as it is known. */
  readonly text: string;
  /** The caller's words that it answers; empty for fixed texts and follow-ups of tools. */
  readonly basis: string;
  readonly speculative: boolean;
  /** 2 when it repeats one that failed. */
  readonly attempt: number;
  /** Since when the caller waits for it, ms since the media stream began; null for what is no answer, or not yet. */
  readonly owedSince: number | null;
  /** `clearing`: its audio was discarded, and the executor is about to say how much was heard. */
  readonly phase: 'preparing' | 'playing' | 'paused' | 'clearing';
  readonly audioReady: boolean;
  /** Its text is complete. */
  readonly complete: boolean;
  /** It is complete and there is nothing to hear. */
  readonly mute: boolean;
  readonly playedMs: number;
  /** When it became audible. */
  readonly audibleAt: number;
  /** When its model was asked; 0 for fixed texts. */
  readonly askedAt: number;
  readonly failure: { readonly retryable: boolean; readonly code: string } | null;
}

export interface ToolRun {
  readonly turn: number;
  readonly call: ToolCall;
  /** `held`: until the turn is committed, or (a transfer) until what the turn says was heard. */
  readonly status: 'held' | 'running' | 'finished';
  readonly result: string;
  /** The model knows that it is still running: the caller was answered in the meantime. */
  readonly deferred: boolean;
}

/** An operator's whisper to the agent; `at` in ms since the media stream began. */
export interface OperatorNote {
  readonly text: string;
  readonly at: number;
}

/** An answer that the agent owes and has not begun. */
export interface PendingAnswer {
  readonly basis: string;
  readonly attempt: number;
  /** Since when the caller waits, where it repeats one that failed unheard; null: since it is begun. */
  readonly owedSince: number | null;
  readonly endOfTurn: { readonly speechEndedAt: number; readonly decidedAt: number } | null;
}

export interface Closing {
  readonly reason: EndReason;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  /** After this, the call ends whatever is still being said. */
  readonly deadline: number;
  /** The caller may still change it by speaking. */
  readonly revocable: boolean;
}

/** The agent's machine is derived from this: `agentPhase`. Immutable; made by `initialState` and `decide` only. */
export interface State extends ReadableState {
  readonly options: TurnTakingOptions;
  readonly startedAt: number | null;
  readonly caller: Caller;
  /** When the caller's last speech ended by the voice-activity detector; null before. */
  readonly lastStoppedAt: number | null;
  /** When it last began; null before. */
  readonly lastStartedAt: number | null;
  /** How much later than they were spoken those two reached us, in ms. */
  readonly startedLateMs: number;
  readonly stoppedLateMs: number;
  readonly utterance: Utterance;
  readonly lastTurn: CallerTurn | null;
  /** Whether the caller's words are known before their turn ends. */
  readonly hearsWords: boolean;
  /** Turns of the caller whose words may still come, oldest first. */
  readonly untranscribed: readonly UntranscribedTurn[];
  /** The agent's live turns in the order in which they are to be heard; a speculative one is last. */
  readonly turns: readonly Turn[];
  readonly nextTurn: number;
  readonly tools: readonly ToolRun[];
  /** Rounds of tool calls since the caller last said something. */
  readonly toolRounds: number;
  readonly pendingAnswer: PendingAnswer | null;
  readonly closing: Closing | null;
  /** The agent that takes over as soon as nobody is speaking. */
  readonly nextAgent: NextAgent | null;
  readonly answer: AnswerEvidence;
  readonly machine: Machine | null;
  readonly history: readonly HistoryEntry[];
  readonly guessing: Guessing;
  readonly nextIndex: number;
  /** The index of what either side said last, as far as it is remembered; null before. */
  readonly lastSpokenIndex: number | null;
  /** Notes that are not in the transcript yet, oldest first. */
  readonly notes: readonly OperatorNote[];
  readonly timers: Readonly<Partial<Record<TimerName, number>>>;
  /** Since when neither side has anything to say; null while one has. */
  readonly idleSince: number | null;
  /** Since when the caller waits and hears nothing; null while they do not. */
  readonly waitingSince: number | null;
  readonly fillerUsed: boolean;
  readonly silencePrompts: number;
  /** Generations in a row that failed for good. */
  readonly failures: number;
  /** The code of a recogniser's failure that ends the call only if a person is on the line after all. */
  readonly deferredFailure: string | null;
  readonly over: boolean;
}

export function initialState(options: TurnTakingOptions): State {
  return {
    options,
    startedAt: null,
    caller: { phase: 'silent' },
    lastStoppedAt: null,
    lastStartedAt: null,
    startedLateMs: 0,
    stoppedLateMs: 0,
    utterance: EMPTY_UTTERANCE,
    lastTurn: null,
    hearsWords: options.hearsWords ?? true,
    untranscribed: [],
    turns: [],
    nextTurn: 1,
    tools: [],
    toolRounds: 0,
    pendingAnswer: null,
    closing: null,
    nextAgent: null,
    answer: { ...NO_EVIDENCE, open: options.voicemail.detect },
    machine: null,
    history: [],
    guessing: initialGuessing(options.recogniser),
    nextIndex: 0,
    lastSpokenIndex: null,
    notes: [],
    timers: {},
    idleSince: null,
    waitingSince: null,
    fillerUsed: false,
    silencePrompts: 0,
    failures: 0,
    deferredFailure: null,
    over: false,
  };
}

/**
 * One decision in the making: a shallow copy of the state whose fields are replaced (never mutated in
 * depth), and the effects so far. It lives only within one call of `decide`.
 */
export interface Draft {
  readonly state: { -readonly [K in keyof State]: State[K] };
  readonly effects: Effect[];
  /** The event's time. */
  readonly at: number;
}

/** Returns the one turn whose audio has begun and is not over: playing, paused or being cleared. */
export function audibleTurn(state: State): Turn | undefined {
  return state.turns.find((turn) => turn.phase !== 'preparing');
}

/** Returns how much later than it was spoken the caller's speech that began then reached us, in ms. */
export function startLateness(state: State, startedAt: number): number {
  return startedAt === state.lastStartedAt ? state.startedLateMs : endLateness(state, startedAt);
}

/** Returns how much later than it was spoken the end of the caller's speech that came then reached us, in ms. */
export function endLateness(state: State, stoppedAt: number): number {
  return stoppedAt === state.lastStoppedAt ? state.stoppedLateMs : 0;
}

/** Returns whether keys are sounding; nothing is said over them. */
export function pressesKeys(state: State): boolean {
  return state.tools.some((run) => run.call.kind === 'send_dtmf' && run.status === 'running');
}

export function speculativeTurn(state: State): Turn | undefined {
  return state.turns.find((turn) => turn.speculative);
}

/** Returns whether the caller can neither pause nor cut the turn. */
export function isProtected(state: State, turn: Turn): boolean {
  return turn.uninterruptible || (state.closing !== null && !state.closing.revocable);
}

/** Returns whether an interruptible turn must not start now, because the caller is speaking or not finished. */
export function callerHoldsFloor({ state }: Draft): boolean {
  if (hasInput(state.utterance)) return true;
  const { caller } = state;
  switch (caller.phase) {
    case 'silent':
      return false;
    case 'speaking':
      return !caller.noise;
    case 'trailing':
      return caller.spokenMs >= state.options.settings.barge_in_pause_ms;
  }
}

export function findTurn(state: State, id: number): Turn | undefined {
  return state.turns.find((turn) => turn.id === id);
}
