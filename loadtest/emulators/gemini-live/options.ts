import type { Clock } from '@voice/shared/clock/clock';
import type { ScriptRule } from '../openai/script.js';
import type { Phrase } from '../recognition/phrasebook.js';

/** How long the emulated service takes, in ms. */
interface GeminiLiveDelays {
  /** From the end of the caller's turn (or another request to answer) to the first audio or tool call. */
  readonly firstAudioDelayMs: number;
  /** From a word's last audio to its transcription. */
  readonly transcriptionDelayMs: number;
}

export interface GeminiLiveEmulatorOptions {
  /** 0 takes a free one. */
  readonly port?: number;
  /** What can be understood of the caller's audio. */
  readonly phrasebook?: readonly Phrase[];
  /** Recognises phrases as Deepgram's emulator does by sound: lossy codecs, stretched and lost frames too. */
  readonly bySound?: boolean;
  /** Real speech by espeak-ng, or a cheap speech-like tone (the default). */
  readonly voice?: 'espeak' | 'tone';
  readonly delays?: Partial<GeminiLiveDelays>;
  /** How much faster than it is spoken the audio comes. */
  readonly speed?: number;
  /** How much faster than in truth an answer is taken to be played, which ends its turn; for tests. */
  readonly playSpeed?: number;
  /** Audio in one message, in ms. */
  readonly chunkMs?: number;
  /** Fixed answers instead of the rule-based model that works through the system instruction. */
  readonly script?: readonly ScriptRule[];
  /** The accepted keys; any when undefined. */
  readonly apiKeys?: readonly string[];
  /** Life of a connection, in ms ("around 10 minutes", ai.google.dev/gemini-api/docs/live-session). */
  readonly connectionLifeMs?: number;
  /** How long before its end a connection gets `goAway`, in ms ("about 60 seconds", firebase.google.com). */
  readonly goAwayLeadMs?: number;
  /** Life of a session without context compression, in ms ("15 minutes" for audio, same page). */
  readonly sessionLifeMs?: number;
  readonly clock?: Clock;
}

/** What goes wrong; all off by default, and changeable while it runs. */
export interface GeminiLiveFaults {
  /** Refuses this many handshakes with `refuseStatus`. */
  refuseNext: number;
  refuseStatus: number;
  /** Never answers this many handshakes. */
  hangNext: number;
  /** Accepts this many connections and never says a word. */
  muteNext: number;
  /** Stops this many answers after `afterAudioMs` of their audio, and neither ends nor fails them. */
  stallNext: number;
  /** Tears the connection of this many answers after `afterAudioMs` of their audio. */
  cutNext: number;
  /** 0 stalls and cuts before any audio. */
  afterAudioMs: number;
  /** Rejects this many answers: a turn that is complete for a reason other than its end. */
  rejectNext: number;
  /** Announces the end of connections as soon as they are set up, in ms; undefined: when it is time. */
  goAwayAtOnceMs: number | undefined;
  /** Closes this many answers' connections with 1011, as an internal error does. */
  errorNext: number;
  /** Refuses every resumption handle. */
  forgetHandles: boolean;
}

export interface GeminiLiveCounters {
  /** Handshakes, the refused and the unanswered too. */
  attempts: number;
  connections: number;
  refused: number;
  /** Connections that are open now. */
  open: number;
  /** Connections that took up a session by its handle. */
  resumed: number;
  /** ms of the caller's audio. */
  audioMs: number;
  /** Turns of the caller that ended. */
  turns: number;
  answers: number;
  interrupted: number;
  toolCalls: number;
  goAways: number;
  /** Connections that were closed because the client broke the protocol. */
  violations: number;
}

export function noFaults(): GeminiLiveFaults {
  return {
    refuseNext: 0,
    refuseStatus: 503,
    hangNext: 0,
    muteNext: 0,
    stallNext: 0,
    cutNext: 0,
    afterAudioMs: 0,
    rejectNext: 0,
    goAwayAtOnceMs: undefined,
    errorNext: 0,
    forgetHandles: false,
  };
}

export function noCounts(): GeminiLiveCounters {
  return {
    attempts: 0,
    connections: 0,
    refused: 0,
    open: 0,
    resumed: 0,
    audioMs: 0,
    turns: 0,
    answers: 0,
    interrupted: 0,
    toolCalls: 0,
    goAways: 0,
    violations: 0,
  };
}
