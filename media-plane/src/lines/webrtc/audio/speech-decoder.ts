import { Decoder } from '@evan/opus';
import { concealmentPacket, type OpusPacketInfo, redundancyPacket } from './opus-packet.js';

/** So long the decoder's own concealment is heard as it is; then it fades, to be silent at the second time. ms. */
const FADE_FROM_MS = 40;
const FADE_TO_MS = 100;
/** What comes after a faded gap rises within this time, ms. */
const RISE_MS = 5;

export type SpeechRate = 16_000 | 24_000;

/**
 * Decodes one stream of Opus, straight to mono at the wanted rate. Results are memory of their own only until the next
 * call. A payload that the decoder refuses is concealed.
 */
export class SpeechDecoder {
  readonly sampleRate: SpeechRate;
  readonly #decoder: Decoder;
  #last: OpusPacketInfo | undefined;
  #concealedMs = 0;
  #gain = 1;

  constructor(sampleRate: SpeechRate) {
    this.sampleRate = sampleRate;
    this.#decoder = new Decoder({ channels: 1, sample_rate: sampleRate });
  }

  /** Returns whether there was any sound since the start or the last reset. */
  get hasBegun(): boolean {
    return this.#last !== undefined;
  }

  decode(payload: Uint8Array, info: OpusPacketInfo): Int16Array {
    this.#last = info;
    const samples = this.#run(payload);
    if (!samples) return this.conceal(info.durationMs);
    this.#concealedMs = 0;
    this.#rise(samples);
    return samples;
  }

  /**
   * Recovers what was lost right before the packet, from the redundancy within it: as long as a frame of the packet.
   * Null where it holds none.
   */
  recover(payload: Uint8Array, info: OpusPacketInfo): Int16Array | null {
    const packet = redundancyPacket(payload, info);
    const samples = packet && this.#run(packet);
    if (!samples) return null;
    this.#concealedMs = 0;
    this.#rise(samples);
    return samples;
  }

  /** Makes up `durationMs` of what was lost: goes on as it was, and fades. Silence when nothing came before. */
  conceal(durationMs: number): Int16Array {
    const samples = new Int16Array(this.#samplesIn(durationMs));
    if (this.#last && this.#gain > 0) this.#continue(samples, this.#last);
    this.#fade(samples);
    this.#concealedMs += durationMs;
    return samples;
  }

  /** Makes the noise behind the sender's silence, while it sends nothing on purpose. */
  comfortNoise(durationMs: number): Int16Array {
    const samples = new Int16Array(this.#samplesIn(durationMs));
    if (this.#last) this.#continue(samples, this.#last);
    this.#rise(samples);
    return samples;
  }

  reset(): void {
    this.#decoder.reset();
    this.#last = undefined;
    this.#concealedMs = 0;
  }

  #samplesIn(ms: number): number {
    return Math.round((ms * this.sampleRate) / 1000);
  }

  #run(packet: Uint8Array): Int16Array | null {
    try {
      const bytes = this.#decoder.decode(packet);
      // The binding's memory is reused by the next decode and need not be aligned to samples.
      const samples = new Int16Array(bytes.length / 2);
      new Uint8Array(samples.buffer).set(bytes);
      return samples;
    } catch {
      return null;
    }
  }

  /** Conceals by the decoder's own concealment, in pieces of 10 and 20 ms. */
  #continue(target: Int16Array, last: OpusPacketInfo): void {
    for (let at = 0; at < target.length; ) {
      const longer = target.length - at > this.#samplesIn(10);
      const piece = this.#run(concealmentPacket(last, longer ? 20 : 10));
      if (!piece) return;
      target.set(piece.subarray(0, target.length - at), at);
      at += piece.length;
    }
  }

  #fade(samples: Int16Array): void {
    const perSample = 1000 / this.sampleRate;
    for (let n = 0; n < samples.length; n++) {
      const ms = this.#concealedMs + n * perSample;
      const wanted = 1 - (ms - FADE_FROM_MS) / (FADE_TO_MS - FADE_FROM_MS);
      this.#gain = Math.max(0, Math.min(this.#gain, wanted));
      samples[n] = samples[n]! * this.#gain;
    }
  }

  #rise(samples: Int16Array): void {
    const step = 1 / this.#samplesIn(RISE_MS);
    for (let n = 0; n < samples.length && this.#gain < 1; n++) {
      this.#gain = Math.min(1, this.#gain + step);
      samples[n] = samples[n]! * this.#gain;
    }
  }
}
