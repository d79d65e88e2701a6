import { decodeMulaw, encodeMulaw, FRAME_BYTES, PHONE_SAMPLE_RATE } from '@voice/shared/audio/g711';
import { Resampler } from '@voice/shared/audio/resample';
import { z } from 'zod';
import { ProtocolViolation } from '../port.js';

/** What a tester sends and gets, by the query of its connection. */
export const testerFormat = z
  .object({
    encoding: z.enum(['mulaw', 'pcm16']).default('mulaw'),
    sample_rate: z.coerce
      .number()
      .pipe(z.union([z.literal(8000), z.literal(16_000), z.literal(24_000), z.literal(48_000)]))
      .default(PHONE_SAMPLE_RATE),
  })
  .refine(({ encoding, sample_rate }) => encoding === 'pcm16' || sample_rate === PHONE_SAMPLE_RATE, {
    message: 'mulaw is at 8000 Hz',
    path: ['sample_rate'],
  });
export type TesterFormat = z.output<typeof testerFormat>;

/** The longest audio that one frame may carry, in ms. */
const MAX_FRAME_MS = 1000;
/** How far a tester's audio may lag behind the time before the gap is one, in ms. */
const GAP_MS = 200;

export interface TesterFrame {
  /** Mu-law at 8,000 Hz, 20 ms. */
  readonly frame: Uint8Array;
  /** Position since the stream began, in ms. */
  readonly timestampMs: number;
}

/** One connection's audio: cuts what comes into phone frames, and turns phone frames into the tester's form. */
export class TesterAudio {
  readonly #format: TesterFormat;
  readonly #toPhone: Resampler;
  readonly #fromPhone: Resampler;
  #rest: Uint8Array = new Uint8Array(0);
  #positionMs = 0;

  constructor(format: TesterFormat) {
    this.#format = format;
    this.#toPhone = new Resampler(format.sample_rate, PHONE_SAMPLE_RATE);
    this.#fromPhone = new Resampler(PHONE_SAMPLE_RATE, format.sample_rate);
  }

  /**
   * The whole frames that the bytes complete. A tester that sends nothing while it is muted leaves a gap:
   * `elapsedMs` since the stream began says where its audio goes on. Throws `ProtocolViolation`.
   */
  receive(bytes: Uint8Array, elapsedMs: number): TesterFrame[] {
    const bytesPerMs = (this.#format.sample_rate / 1000) * (this.#format.encoding === 'pcm16' ? 2 : 1);
    if (bytes.length > MAX_FRAME_MS * bytesPerMs) throw new ProtocolViolation('audio of over a second');
    const phone = this.#phoneBytes(bytes);
    const whole = new Uint8Array(this.#rest.length + phone.length);
    whole.set(this.#rest);
    whole.set(phone, this.#rest.length);
    const heldMs = whole.length / (PHONE_SAMPLE_RATE / 1000);
    if (elapsedMs - heldMs > this.#positionMs + GAP_MS) this.#positionMs = elapsedMs - heldMs;
    const frames: TesterFrame[] = [];
    let at = 0;
    for (; at + FRAME_BYTES <= whole.length; at += FRAME_BYTES) {
      frames.push({ frame: whole.slice(at, at + FRAME_BYTES), timestampMs: this.#positionMs });
      this.#positionMs += FRAME_BYTES / (PHONE_SAMPLE_RATE / 1000);
    }
    this.#rest = whole.slice(at);
    return frames;
  }

  /** A phone frame as the tester gets it. */
  send(frame: Uint8Array): Uint8Array {
    if (this.#format.encoding === 'mulaw') return frame;
    const samples = this.#fromPhone.process(decodeMulaw(frame));
    const bytes = new Uint8Array(samples.length * 2);
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < samples.length; i++) view.setInt16(i * 2, samples[i]!, true);
    return bytes;
  }

  #phoneBytes(bytes: Uint8Array): Uint8Array {
    if (this.#format.encoding === 'mulaw') return bytes;
    if (bytes.length % 2 !== 0) throw new ProtocolViolation('half a sample');
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const samples = new Int16Array(bytes.length / 2);
    for (let i = 0; i < samples.length; i++) samples[i] = view.getInt16(i * 2, true);
    return encodeMulaw(this.#toPhone.process(samples));
  }
}
