import type { Clock } from '@voice/shared/clock/clock';
import type { ScriptRule } from '../openai/script.js';
import type { Phrase } from '../recognition/phrasebook.js';

export interface OpenAiRealtimeEmulatorOptions {
  /** 0 takes a free one. */
  readonly port?: number;
  /** The accepted keys; any when undefined. */
  readonly apiKeys?: readonly string[];
  /** What can be understood of what a caller says. */
  readonly phrasebook?: readonly Phrase[];
  /** Recognises phrases as Deepgram's emulator does by sound: lossy codecs, stretched and lost frames too. */
  readonly bySound?: boolean;
  /** What the model answers; without it the local stand-in for a language model answers by the instructions. */
  readonly script?: readonly ScriptRule[];
  /** Real speech by espeak-ng, or a cheap speech-like tone (the default). */
  readonly voice?: 'espeak' | 'tone';
  /** From a response's beginning to its first audio, in ms. */
  readonly firstAudioDelayMs?: number;
  /** How much faster than it is spoken the rest of the audio comes; infinite (the default): at once. */
  readonly speed?: number;
  /** Audio in one delta, in ms. */
  readonly chunkMs?: number;
  /** From a committed turn to its transcript, in ms. */
  readonly transcriptionDelayMs?: number;
  /** How long a session may last, in ms. */
  readonly sessionLimitMs?: number;
  readonly clock?: Clock;
}

/** What goes wrong; all off by default, and changeable while it runs. */
export interface OpenAiRealtimeFaults {
  /** Refuses this many handshakes with `refuseStatus`. */
  refuseNext: number;
  refuseStatus: 401 | 403 | 429 | 500 | 503;
  /** Takes this many handshakes and answers them only when `release` is called. */
  holdNext: number;
  /** Accepts this many connections and never says a word. */
  muteNext: number;
  /** Stops this many responses after `afterAudioMs` of their audio, without ending them. */
  stallNext: number;
  /** Tears the connection of this many responses after `afterAudioMs` of their audio. */
  cutNext: number;
  /** Ends this many responses as failed after `afterAudioMs` of their audio, with `failCode`. */
  failNext: number;
  failCode: 'server_error' | 'rate_limit_exceeded' | 'insufficient_quota';
  afterAudioMs: number;
  /** Fails the transcription of this many turns of the caller. */
  failTranscriptionNext: number;
  /** The limit of sessions that are opened from now on, in ms; 0: as the options say. */
  sessionLimitMs: number;
}

export interface OpenAiRealtimeCounters {
  /** Handshakes that were seen, refused and held ones too. */
  attempts: number;
  refused: number;
  /** Connections that are open now. */
  open: number;
  sessions: number;
  responses: number;
  completed: number;
  cancelled: number;
  /** ms of audio that was appended. */
  audioMs: number;
  appends: number;
  /** `error` events that were sent because of what the client did. */
  errors: number;
  /** Of these: cancellations that crossed the end of what they cancel, which no client can avoid. */
  lateCancels: number;
}

export function noFaults(): OpenAiRealtimeFaults {
  return {
    refuseNext: 0,
    refuseStatus: 503,
    holdNext: 0,
    muteNext: 0,
    stallNext: 0,
    cutNext: 0,
    failNext: 0,
    failCode: 'server_error',
    afterAudioMs: 200,
    failTranscriptionNext: 0,
    sessionLimitMs: 0,
  };
}

export function noCounts(): OpenAiRealtimeCounters {
  return {
    attempts: 0,
    refused: 0,
    open: 0,
    sessions: 0,
    responses: 0,
    completed: 0,
    cancelled: 0,
    audioMs: 0,
    appends: 0,
    errors: 0,
    lateCancels: 0,
  };
}
