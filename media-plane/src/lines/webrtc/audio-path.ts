import type { Clock } from '@voice/shared/clock/clock';

/** What the audio path works at: wide-band for cascades, the models' own rate for speech to speech. */
type LineSampleRate = 16_000 | 24_000;

export interface IncomingAudioOptions {
  readonly sampleRate: LineSampleRate;
  readonly clock: Clock;
  /** One frame of 20 ms of L16, paced; `concealed`: made up for a packet that did not come in time. */
  readonly onFrame: (frame: Uint8Array, positionMs: number, concealed: boolean) => void;
}

/** RTP with Opus in, paced frames of linear audio out: jitter buffer, decoder, concealment. */
export interface IncomingAudio {
  /** Receives a whole RTP packet. */
  receive(packet: Uint8Array): void;
  statistics(): {
    readonly packetsReceived: number;
    readonly packetsLost: number;
    readonly concealed: number;
    readonly jitterMs: number;
    readonly bufferMs: number;
  };
  close(): void;
}

export interface OutgoingAudioOptions {
  readonly sampleRate: LineSampleRate;
  readonly ssrc: number;
  readonly payloadType: number;
  readonly clock: Clock;
  /** A whole RTP packet. */
  readonly send: (packet: Uint8Array) => void;
}

/** Frames of linear audio in, RTP with Opus out. */
export interface OutgoingAudio {
  /** Sends 20 ms of L16. */
  sendFrame(frame: Uint8Array): void;
  /** Forgets what was not sent yet. */
  clear(): void;
  close(): void;
}

/** Both halves of a call's audio path, as the line makes them. */
export interface AudioPath {
  createIncoming(options: IncomingAudioOptions): IncomingAudio;
  createOutgoing(options: OutgoingAudioOptions): OutgoingAudio;
}
