import type { TurnTakingSettings } from '@voice/shared/contracts/agent';
import type { Effect, HistoryEntry } from './effects.js';
import type { Guessing } from './guessing.js';
import type { RecogniserHabits } from './recogniser-habits.js';

/** What the reducer needs to know of the call, once. */
export interface TurnTakingOptions {
  readonly settings: TurnTakingSettings;
  /** Spoken first, uninterruptible; empty or null: none. */
  readonly disclosure: string | null;
  readonly firstMessage: string;
  /** BCP 47; chooses the endpointing and backchannel words. */
  readonly language: string;
  /** False: a speech-to-speech model hears the caller, and their words are learnt afterwards. By default true. */
  readonly hearsWords?: boolean;
  /** What was measured of the recogniser in calls before; by default nothing. */
  readonly recogniser?: RecogniserHabits;
  readonly maxDurationMs: number;
  readonly silenceTimeoutMs: number;
  /** From when the agent owes an answer to its first audio, in ms: then it apologises instead. By default never. */
  readonly turnDeadlineMs?: number;
  readonly voicemail: {
    /** Whether it is asked, by carrier and by ear, if a machine has answered. */
    readonly detect: boolean;
    readonly action: 'hangup' | 'leave_message';
    readonly message: string;
  };
}

/** The part of the state that the executor reads: the rest is the reducer's own. */
export interface ReadableState {
  readonly history: readonly HistoryEntry[];
  /** `open`: it is still asked whether a machine has answered, and beeps count. */
  readonly answer: { readonly open: boolean };
  readonly guessing: Guessing;
}

/** `initialState(options)` and `decide(state, event)` are what `turn-taking/decide.ts` exports. */
export interface Decision<State extends ReadableState> {
  readonly state: State;
  readonly effects: readonly Effect[];
}
