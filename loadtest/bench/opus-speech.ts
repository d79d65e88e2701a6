import { Encoder } from '@evan/opus';
import { decodeMulaw } from '@voice/shared/audio/g711';
import { resample } from '@voice/shared/audio/resample';
import type { Utterance } from './speech.js';

/** What browsers encode at. */
const RATE = 48_000;
const FRAME_SAMPLES = RATE / 50;
const BITS_PER_SECOND = 32_000;
/** Frames of silence until the encoder has settled. */
const SETTLING_FRAMES = 25;

/** Encodes 48 kHz audio frame by frame, as a browser would. */
export function encodeOpus(samples: Int16Array): Uint8Array[] {
  const encoder = new Encoder({ channels: 1, sample_rate: RATE, application: 'voip' });
  encoder.bitrate = BITS_PER_SECOND;
  const encode = (frame: Int16Array) => encoder.encode(new Uint8Array(frame.buffer.slice(0))).slice();
  for (let n = 0; n < SETTLING_FRAMES; n++) encode(new Int16Array(FRAME_SAMPLES));
  const packets: Uint8Array[] = [];
  for (let at = 0; at < samples.length; at += FRAME_SAMPLES) {
    const frame = new Int16Array(FRAME_SAMPLES);
    frame.set(samples.subarray(at, at + FRAME_SAMPLES));
    packets.push(encode(frame));
  }
  return packets;
}

/** The callers' speech in Opus, encoded once, so that a call costs the bench no encoder. */
export class OpusSpeech {
  readonly silence: Uint8Array = encodeOpus(new Int16Array(FRAME_SAMPLES))[0]!;
  readonly #packets = new Map<Utterance, readonly Uint8Array[]>();

  packet(utterance: Utterance, frame: number): Uint8Array {
    let packets = this.#packets.get(utterance);
    if (!packets) {
      packets = encodeOpus(resample(decodeMulaw(Buffer.concat(utterance.frames)), 8000, RATE));
      this.#packets.set(utterance, packets);
    }
    return packets[frame] ?? this.silence;
  }
}
