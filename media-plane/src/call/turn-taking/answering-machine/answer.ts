/** What is known of who, or what, has answered. Times in ms since the media stream began. */

/** Pauses up to this are inside a run of speech: between the sentences of a greeting. */
export const PAUSE_MS = 700;
/** A greeting begins within this after the answer; what begins later may be a reply to the agent. */
export const EARLY_MS = 3000;

/** Speech of the other end with short pauses only. */
export interface SpeechRun {
  readonly startedAt: number;
  /** Null while it goes on. */
  readonly endedAt: number | null;
  /** It began when a greeting begins. */
  readonly early: boolean;
  /** It began after an answer of the agent was heard to its end. */
  readonly replies: boolean;
  /** Final texts, joined. */
  readonly text: string;
  /** The latest text that may still change. */
  readonly interim: string;
}

export interface AnswerEvidence {
  /** Whether it is still asked who has answered. */
  readonly open: boolean;
  readonly carrier: 'machine' | 'human' | null;
  /** The carrier has reported the end of the greeting. */
  readonly greetingEnded: boolean;
  /** The last steady tone with silence after it; `at` is when that was known. */
  readonly beep: { readonly hz: number; readonly ms: number; readonly at: number } | null;
  /** The run that goes on, or the last one. */
  readonly run: SpeechRun | null;
  /** A turn of the agent was heard to its end since the other end spoke. */
  readonly listened: boolean;
  /** The run is said in mid-conversation, and weighed without what was said before that. */
  readonly conversed: boolean;
  /** What was said in the runs before, … */
  readonly text: string;
  /** … how long they were together, … */
  readonly speechMs: number;
  /** … and the longest of them that began as greetings do. */
  readonly earlyMs: number;
  /** When an answer of the agent was heard to its end while the other end was silent; null after the next speech. */
  readonly answerHeardAt: number | null;
  /** What was said to an agent that takes the other end for a machine: the caller's turn, if it is none. */
  readonly held: string;
  /** How often a machine has turned out to be a person. */
  readonly corrections: number;
}

/** How the message came to be left: what the wait for the end of the greeting ended with. */
export type MessageAfter = 'beep' | 'carrier' | 'silence' | 'limit';

/** What the agent says first. */
export type Opening = 'disclosure' | 'first_message';

/**
 * A machine has answered: its greeting is being waited for, or the message is being left. `unsaid`: what of the agent's
 * opening its verdict has cut.
 */
export type Machine =
  | {
      readonly kind: 'greeting';
      readonly since: number;
      readonly attempts: number;
      readonly unsaid: readonly Opening[];
    }
  | {
      readonly kind: 'message';
      readonly since: number;
      readonly after: MessageAfter;
      readonly attempts: number;
      readonly unsaid: readonly Opening[];
    };

export const NO_EVIDENCE: AnswerEvidence = {
  open: true,
  carrier: null,
  greetingEnded: false,
  beep: null,
  run: null,
  listened: false,
  conversed: false,
  text: '',
  speechMs: 0,
  earlyMs: 0,
  answerHeardAt: null,
  held: '',
  corrections: 0,
};
