import type { Clock } from '@voice/shared/clock/clock';
import type { Phrase } from '../recognition/phrasebook.js';
import type { HandshakeFaults } from '../serving/handshake-faults.js';
import type { Pace } from '../serving/paced-audio.js';
import type { SpeechFaults } from '../serving/speech-faults.js';

/** How long the emulated service takes, in ms of wall-clock time after the audio that causes the message. */
export interface Delays {
  readonly speechStartedDelayMs: number;
  readonly interimDelayMs: number;
  /** By the audio, the least time between interim results of an utterance, and from its beginning to the first. */
  readonly interimEveryMs: number;
  readonly finalDelayMs: number;
}

/** What goes wrong; all off by default, and changeable while it runs. */
export interface DeepgramFaults extends HandshakeFaults {
  /** Of text to speech. */
  readonly speech: SpeechFaults;
  /** Tears a connection after so much of its audio, in ms; only the next `dropNext` connections. */
  dropAfterAudioMs: number;
  dropNext: number;
  /** Sends what is no JSON in place of this many messages. */
  garbageNext: number;
  /** Says nothing on this many connections, which it accepts. */
  muteNext: number;
  /** Accepts connections and says nothing. */
  mute: boolean;
}

export interface DeepgramEmulatorOptions {
  /** 0 takes a free one. */
  readonly port?: number;
  readonly phrasebook?: readonly Phrase[];
  /** Recognises phrases by their sound (after lossy codecs) in place of their bytes. */
  readonly bySound?: boolean;
  readonly delays?: Partial<Delays>;
  /** The accepted keys; any when undefined. */
  readonly apiKeys?: readonly string[];
  /** Silence on the wire after which a Nova connection is closed, in ms. */
  readonly idleTimeoutMs?: number;
  /** Of text to speech. */
  readonly speech?: Partial<Pace>;
  readonly clock?: Clock;
}

export interface DeepgramCounters {
  /** Handshakes that were accepted. */
  connections: number;
  refused: number;
  /** Connections that are open now. */
  open: number;
  audioBytes: number;
  /** Binary messages. */
  audioMessages: number;
  keepAlives: number;
  finalizes: number;
  closeStreams: number;
  /** Connections that were closed because the client broke the protocol or was silent for too long. */
  violations: number;
  readonly speech: SpeakCounters;
}

/** Of text to speech. */
export interface SpeakCounters {
  connections: number;
  /** Connections that are open now. */
  open: number;
  characters: number;
  /** Texts that were spoken, or begun. */
  generations: number;
  clears: number;
  /** Flushes beyond the limit. */
  ignoredFlushes: number;
  /** Connections that were closed because the client broke the protocol. */
  violations: number;
}
