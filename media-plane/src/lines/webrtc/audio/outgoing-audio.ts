import { randomInt } from 'node:crypto';
import { Encoder } from '@evan/opus';
import type { Clock } from '@voice/shared/clock/clock';
import { FRAME_MS, frameTickerOf } from './frame-ticker.js';
import { describeOpusPacket, OPUS_CLOCK_KHZ } from './opus-packet.js';
import { buildRtp } from './rtp.js';
import type { SpeechRate } from './speech-decoder.js';

const BITS_PER_SECOND = 32_000;
/** What forward error correction is made for, in percent. */
const EXPECTED_LOSS_PERCENT = 10;
/**
 * Of 0..10. Measured on speech-like sound at this bit rate: 98 us a frame, redundancy included, against 325 us at
 * 5, with the same likeness to the original (8.3 and 8.0 dB).
 */
const COMPLEXITY = 1;
const TICKS_PER_FRAME = FRAME_MS * OPUS_CLOCK_KHZ;
/** When no frame came for so long, the talk spurt is over, ms. More than a frame, for the sake of timers. */
const SPURT_OVER_MS = 2 * FRAME_MS;
/**
 * Silence sent behind a talk spurt until the encoder says that it has gone silent, in frames at most: without it
 * the other side would take the pause for loss and conceal it.
 */
const MAX_TAIL_FRAMES = 25;

export interface OutgoingAudioOptions {
  /** Of the frames, Hz. */
  readonly sampleRate: SpeechRate;
  readonly ssrc: number;
  readonly payloadType: number;
  readonly clock: Clock;
  /** Sends one RTP packet; the bytes are the receiver's to keep. */
  readonly send: (packet: Uint8Array) => void;
}

/**
 * Turns frames of speech into RTP packets of Opus, each frame at once: pacing is the caller's. Sends nothing in
 * silence; the timestamps go on with time.
 */
export class OutgoingAudio {
  readonly #options: OutgoingAudioOptions;
  readonly #encoder: Encoder;
  readonly #silence: Uint8Array;
  #sequence = randomInt(0x1_0000);
  readonly #timestampOffset = randomInt(0x1_0000_0000);
  /** Monotonic ms of timestamp 0; undefined before the first frame. */
  #startedAt: number | undefined;
  /** Of the next frame in the present talk spurt, in ticks of 48 kHz since the start. */
  #position = 0;
  #inSpurt = false;
  #lastFrameAt = 0;
  #tailFrames = 0;
  /** The encoder has gone silent, and the other side knows. */
  #isDtx = false;
  #closed = false;

  constructor(options: OutgoingAudioOptions) {
    this.#options = options;
    const { sampleRate } = options;
    this.#encoder = new Encoder({ channels: 1, sample_rate: sampleRate, application: 'voip' });
    this.#encoder.signal = 'voice';
    this.#encoder.bitrate = BITS_PER_SECOND;
    this.#encoder.complexity = COMPLEXITY;
    this.#encoder.inband_fec = true;
    this.#encoder.packet_loss = EXPECTED_LOSS_PERCENT;
    this.#encoder.dtx = true;
    this.#silence = new Uint8Array(((sampleRate * FRAME_MS) / 1000) * 2);
  }

  /** Sends one frame of 20 ms, L16 little-endian. Throws `RangeError` for another length. */
  sendFrame(frame: Uint8Array): void {
    if (this.#closed) return;
    if (frame.length !== this.#silence.length) {
      throw new RangeError(`A frame of 20 ms is ${this.#silence.length} bytes, not ${frame.length}`);
    }
    const now = this.#options.clock.monotonic();
    this.#startedAt ??= now;
    const begins = !this.#inSpurt;
    if (begins) {
      const elapsed = Math.round((now - this.#startedAt) / FRAME_MS) * TICKS_PER_FRAME;
      this.#position = Math.max(this.#position, elapsed);
      this.#inSpurt = true;
      frameTickerOf(this.#options.clock).add(this);
    }
    this.#tailFrames = 0;
    this.#lastFrameAt = now;
    this.#encode(frame, begins);
  }

  /** Ends what was said so far: the next frame begins a talk spurt. Nothing is held back that could be discarded. */
  clear(): void {
    if (this.#inSpurt) this.#lastFrameAt = Number.NEGATIVE_INFINITY;
  }

  /** Closes the stream. Idempotent. */
  close(): void {
    this.#closed = true;
    frameTickerOf(this.#options.clock).remove(this);
  }

  /** Sends silence behind a talk spurt: called by the ticker. */
  onTick(nowMs: number): void {
    if (nowMs - this.#lastFrameAt < SPURT_OVER_MS) return;
    this.#inSpurt = false;
    if (this.#isDtx || this.#tailFrames++ >= MAX_TAIL_FRAMES) {
      frameTickerOf(this.#options.clock).remove(this);
      return;
    }
    this.#encode(this.#silence, false);
  }

  #encode(frame: Uint8Array, marker: boolean): void {
    const payload = this.#encoder.encode(frame);
    const position = this.#position;
    this.#position += TICKS_PER_FRAME;
    const wasDtx = this.#isDtx;
    this.#isDtx = describeOpusPacket(payload)?.isDtx === true;
    // The first one says that silence begins; those after it say nothing.
    if (this.#isDtx && wasDtx) return;
    const { payloadType, ssrc, send } = this.#options;
    send(
      buildRtp({
        marker: marker || (wasDtx && !this.#isDtx),
        payloadType,
        sequenceNumber: this.#sequence,
        timestamp: (this.#timestampOffset + position) % 0x1_0000_0000,
        ssrc,
        payload,
      }),
    );
    this.#sequence = (this.#sequence + 1) & 0xffff;
  }
}
