import type { EndReason } from '@voice/shared/contracts/primitives';
import type { NextAgent } from './next-agent.js';

/** Every event carries `at`: ms since the media stream began, monotonic, never falling. */
interface Timed {
  readonly at: number;
}

export interface ToolCall {
  /** Of this call alone. */
  readonly id: string;
  /** What the model's server named it, where that is another: by that name it is answered. */
  readonly serverId?: string;
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
  readonly kind:
    | 'end_call'
    | 'transfer_call'
    | 'transfer_to_agent'
    | 'send_dtmf'
    | 'http'
    | 'integration'
    | 'mcp'
    | 'unknown';
  /** A speculative turn must not run a tool that changes something outside. */
  readonly sideEffects: boolean;
  /** It is given up when the caller speaks; others go on. */
  readonly endsWithCallerSpeech?: boolean;
}

export type CallerEvent = Timed &
  /**
   * `startedAt`: when the caller's first speech frame reached us. `lateMs`, here and below: how much later than it was
   * spoken that was; 0 where it is not said.
   */
  (
    | { readonly type: 'speech_started'; readonly startedAt: number; readonly lateMs?: number }
    /** `stoppedAt`: when the caller's last speech frame reached us. */
    | { readonly type: 'speech_stopped'; readonly stoppedAt: number; readonly lateMs?: number }
    | {
        readonly type: 'transcript';
        readonly text: string;
        readonly final: boolean;
        readonly confidence: number;
      }
    | {
        readonly type: 'end_of_turn';
        readonly source: 'stt' | 'flux' | 'realtime';
        readonly confidence: number;
      }
    /**
     * Whether the caller has finished, by the sound of the speech that ended at `stoppedAt` (as `speech_stopped` named
     * it): a probability, 0..1.
     */
    | { readonly type: 'turn_completion'; readonly probability: number; readonly stoppedAt: number }
    /** What the caller said in the turn that the agent's turn `answer` answered: learnt afterwards. */
    | { readonly type: 'transcribed'; readonly answer: number; readonly text: string }
    | { readonly type: 'eager_end_of_turn'; readonly confidence: number; readonly text: string }
    | { readonly type: 'turn_resumed' }
    | { readonly type: 'dtmf'; readonly digit: string }
  );

export type AgentEvent = Timed &
  /** A sentence of the turn was handed to the voice. */
  (
    | { readonly type: 'text'; readonly turn: number; readonly sentence: string }
    | { readonly type: 'tool_call'; readonly turn: number; readonly call: ToolCall }
    /** The model has said all of the turn (tool calls, if any, came before). */
    | { readonly type: 'generation_finished'; readonly turn: number }
    | {
        readonly type: 'generation_failed';
        readonly turn: number;
        readonly retryable: boolean;
        readonly code: string;
        /** The model broke off, and the voice has said what there was: it is heard to its end, and then the turn is over. */
        readonly playsOut?: boolean;
      }
    /** The first audio of the turn is there and waits for `play`. */
    | { readonly type: 'audio_ready'; readonly turn: number }
    | { readonly type: 'playback'; readonly turn: number; readonly playedMs: number }
    /** All audio of the turn was heard. `playedMs` 0 and no audio is possible: a turn of tool calls alone. */
    | { readonly type: 'playback_finished'; readonly turn: number; readonly playedMs: number }
    /**
     * The answer to the effect `clear`: how much was heard, in ms and as text (by the voice's alignment,
     * else by proportion, cut at a word).
     */
    | {
        readonly type: 'cleared';
        readonly turn: number;
        readonly heardMs: number;
        readonly heardText: string;
      }
  );

export type OutsideEvent = Timed &
  /** The carrier's media stream began: the agent speaks first. Always the first event. */
  (
    | { readonly type: 'call_started' }
    | {
        readonly type: 'tool_finished';
        readonly callId: string;
        readonly ok: boolean;
        /** What the model gets to read. */
        readonly result: string;
      }
    | { readonly type: 'whisper'; readonly text: string }
    | { readonly type: 'operator_hangup'; readonly reason: EndReason }
    | { readonly type: 'machine_detected'; readonly kind: 'machine_start' | 'machine_end' | 'fax' | 'human' }
    /** A steady tone was heard, and silence after it. */
    | { readonly type: 'beep'; readonly hz: number; readonly ms: number }
    | { readonly type: 'timer'; readonly name: TimerName }
    | { readonly type: 'carrier_stopped' }
    | { readonly type: 'limit_reached'; readonly limit: 'max_duration' }
    /**
     * Another conversation has taken over the call: whether it knows the caller's words before their turn ends, and
     * whether it hears again what was said and not answered (it does where that is not said).
     */
    | {
        readonly type: 'conversation_replaced';
        readonly hearsWords: boolean;
        readonly hearsAgain?: boolean;
      }
    /** The agent that the call is handed to can speak. */
    | { readonly type: 'handoff_ready'; readonly agent: NextAgent }
    /** A provider is gone for good and no fallback is left. */
    | { readonly type: 'provider_failed'; readonly code: string }
  );

export type TurnTakingEvent = CallerEvent | AgentEvent | OutsideEvent;

/** In the order in which a decision sets them. */
export const TIMER_NAMES = [
  'endpointing',
  'max_endpointing',
  'stable_interim',
  'barge_in',
  'false_interruption',
  'filler',
  'answer',
  'answering_machine',
  'silence',
  'max_duration',
  'closing',
] as const;

export type TimerName = (typeof TIMER_NAMES)[number];
