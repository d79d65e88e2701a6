import type { Clock } from '@voice/shared/clock/clock';

export interface ElevenLabsEmulatorOptions {
  /** 0 takes a free one. */
  readonly port?: number;
  /** Real speech by espeak-ng, or a cheap speech-like tone (the default). */
  readonly voice?: 'espeak' | 'tone';
  /** From the text that sets off a generation to its first audio, in ms. */
  readonly firstAudioDelayMs?: number;
  /** How much faster than it is spoken the rest of the audio comes. */
  readonly speed?: number;
  /** Audio in one message, in ms. */
  readonly chunkMs?: number;
  /** The accepted keys; any when undefined. */
  readonly apiKeys?: readonly string[];
  /** The voices there are; any when undefined. */
  readonly voiceIds?: readonly string[];
  /** How many voices the account has cloned, which are listed behind the vendor's; default none. */
  readonly clonedVoices?: number;
  /** Time without a message for one of its contexts after which a connection is closed, in ms, unless its query says otherwise. */
  readonly inactivityTimeoutMs?: number;
  readonly clock?: Clock;
}

/** What goes wrong; all off by default, and changeable while it runs. */
export interface ElevenLabsFaults {
  /** Refuses this many handshakes with `refuseStatus`. */
  refuseNext: number;
  refuseStatus: number;
  /** Tears this many turns' connections after `afterAudioMs` of audio. */
  dropNext: number;
  /** Ends this many turns' connections with an `internal_server_error` after `afterAudioMs` of audio. */
  errorNext: number;
  afterAudioMs: number;
  /** Falls silent in this many turns after `afterAudioMs` of audio: the connection stays. */
  freezeNext: number;
  /** Sends what is no JSON in this many turns after `afterAudioMs` of audio. */
  garbageNext: number;
  /** Takes the text of this many turns and never makes audio. */
  stallNext: number;
  /** Never answers this many handshakes: the connection stays. */
  hangNext: number;
}

export interface ElevenLabsCounters {
  connections: number;
  refused: number;
  open: number;
  /** Contexts that were opened. */
  contexts: number;
  /** Contexts that were given text to speak. */
  turns: number;
  /** Turns that were spoken to their end. */
  completed: number;
  /** Turns that the client gave up. */
  aborted: number;
  characters: number;
  keepAlives: number;
  /** Connections that were closed because the client broke the protocol or was silent for too long. */
  violations: number;
}
