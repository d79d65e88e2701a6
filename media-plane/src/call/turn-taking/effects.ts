import type { TranscriptTurn } from '@voice/shared/contracts/call-events';
import type { EndReason } from '@voice/shared/contracts/primitives';
import type { TimerName, ToolCall } from './events.js';

/**
 * What the executor must do, in order. A turn is numbered once and never again; an effect that names a
 * turn which is no longer known to the executor is ignored by it.
 */
export type Effect =
  /**
   * Start the model on the history as it stands after this decision (speculative: plus `basis` as the
   * caller's words, which the history does not hold yet). Its sentences go to the voice at once; its audio
   * waits for `play`. Of a speculative answer nothing (`llm`) or the first piece (`llm_and_voice`) goes to the voice
   * before its `commit`.
   */
  | {
      readonly type: 'generate';
      readonly turn: number;
      readonly basis: string;
      readonly speculative: false | 'llm' | 'llm_and_voice';
    }
  /** The speculative turn was right: it is a turn like any other from now on. */
  | { readonly type: 'commit'; readonly turn: number }
  /** Prepare a fixed text as a turn of its own; its audio waits for `play`, too. */
  | { readonly type: 'say'; readonly turn: number; readonly text: string; readonly uninterruptible: boolean }
  /** Stop the turn's model and voice; what they still send is dropped. */
  | { readonly type: 'abort'; readonly turn: number; readonly reason: AbortReason }
  /** Make the turn audible. Only after its `audio_ready`, and never while another turn is audible. */
  | { readonly type: 'play'; readonly turn: number }
  | { readonly type: 'pause'; readonly turn: number }
  | { readonly type: 'resume'; readonly turn: number; readonly fromMs: number }
  /** Discard the turn's audio here and at the carrier; answered at once by the event `cleared`. */
  | { readonly type: 'clear'; readonly turn: number }
  /** The model's own memory of the turn must end at `heardMs` (speech-to-speech providers). */
  | { readonly type: 'truncate'; readonly turn: number; readonly heardMs: number }
  /** A finished transcript turn, ready to be stored. */
  | { readonly type: 'remember'; readonly entry: TranscriptTurn }
  | { readonly type: 'run_tool'; readonly turn: number; readonly call: ToolCall }
  /** Give the running tool up; nothing is reported of it any more. */
  | { readonly type: 'cancel_tool'; readonly turn: number; readonly call: ToolCall }
  /** Whatever is generated, said and heard from here on is the next agent's. */
  | { readonly type: 'hand_over' }
  | { readonly type: 'set_timer'; readonly name: TimerName; readonly at: number }
  | { readonly type: 'cancel_timer'; readonly name: TimerName }
  /** End the call. Exactly once, and nothing follows but `cancel_timer`, `abort` and `clear` before it. */
  | {
      readonly type: 'hang_up';
      readonly reason: EndReason;
      readonly errorCode: string | null;
      readonly errorMessage: string | null;
    }
  | { readonly type: 'report'; readonly metric: TurnMetric }
  /** An entry of the call's timeline. */
  | { readonly type: 'notice'; readonly code: string; readonly message: string };

export type AbortReason =
  | 'interrupted'
  | 'text_changed'
  | 'caller_continued'
  | 'failed'
  /** Of an answer that made no sound by its deadline. */
  | 'timed_out'
  | 'closing'
  | 'superseded';

export type TurnMetric =
  /** The caller's turn is over; `turn` is the agent's answer to it. */
  | {
      readonly name: 'end_of_turn';
      readonly turn: number;
      /** When the caller's last speech frame was spoken, ms since the media stream began. */
      readonly speechEndedAt: number;
      readonly decidedAt: number;
      readonly preempted: boolean;
    }
  | {
      readonly name: 'barge_in';
      readonly turn: number;
      /** When the caller's first speech frame was spoken. */
      readonly speechStartedAt: number;
      readonly falseAlarm: boolean;
    }
  | { readonly name: 'speculation_dropped'; readonly turn: number }
  | { readonly name: 'filler'; readonly turn: number };

/** One entry of the model's context, in order. */
export type HistoryEntry =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls: readonly ToolCall[] }
  | {
      readonly role: 'tool';
      readonly toolCallId: string;
      /** As of the call. */
      readonly serverId?: string;
      readonly text: string;
    }
  /** An operator's note, or a fact of the call such as a pressed key. */
  | { readonly role: 'note'; readonly text: string };
