import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { IncomingAudio, type IncomingAudioStatistics } from '../incoming-audio.js';
import { OutgoingAudio } from '../outgoing-audio.js';
import type { SpeechRate } from '../speech-decoder.js';

/** A packet and when it is sent, or comes. */
export interface TimedPacket {
  /** ms */
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** Returns what our own sender makes of the samples, spoken in real time. */
export function sentPackets(samples: Int16Array, sampleRate: SpeechRate, ssrc = 7): TimedPacket[] {
  const clock = new ScriptedClock();
  const packets: TimedPacket[] = [];
  const audio = new OutgoingAudio({
    sampleRate,
    ssrc,
    payloadType: 111,
    clock,
    send: (bytes) => packets.push({ at: clock.monotonic(), bytes }),
  });
  const perFrame = sampleRate / 50;
  for (let at = 0; at + perFrame <= samples.length; at += perFrame) {
    audio.sendFrame(new Uint8Array(samples.slice(at, at + perFrame).buffer));
    clock.advance(20);
  }
  audio.close();
  return packets;
}

export interface Heard {
  readonly samples: Int16Array;
  readonly concealed: readonly boolean[];
  /** ms, of the clock. */
  readonly frameTimes: readonly number[];
  readonly positions: readonly number[];
  readonly statistics: IncomingAudioStatistics;
  /** The present delay at each frame, ms. */
  readonly bufferMs: readonly number[];
}

/** Plays arrivals to a receiver for so many ms. */
export function receive(arrivals: readonly TimedPacket[], sampleRate: SpeechRate, forMs: number): Heard {
  const clock = new ScriptedClock();
  const perFrame = sampleRate / 50;
  const samples: number[] = [];
  const heard = { concealed: [] as boolean[], frameTimes: [] as number[], positions: [] as number[] };
  const bufferMs: number[] = [];
  const audio: IncomingAudio = new IncomingAudio({
    sampleRate,
    clock,
    onFrame(frame, positionMs, concealed) {
      const copy = new Int16Array(frame.slice().buffer);
      if (copy.length !== perFrame) throw new Error(`a frame of ${copy.length} samples`);
      for (const sample of copy) samples.push(sample);
      heard.concealed.push(concealed);
      heard.frameTimes.push(clock.monotonic());
      heard.positions.push(positionMs);
      bufferMs.push(audio.statistics().bufferMs);
    },
  });
  const inOrder = [...arrivals].sort((a, b) => a.at - b.at);
  for (const { at, bytes } of inOrder) {
    if (at > forMs) break;
    clock.advance(Math.max(0, at - clock.monotonic()));
    audio.receive(bytes);
  }
  clock.advance(Math.max(0, forMs - clock.monotonic()));
  const statistics = audio.statistics();
  audio.close();
  return { samples: Int16Array.from(samples), ...heard, bufferMs, statistics };
}

/** Creates a generator of always the same numbers, 0 to below 1. */
export function randomNumbers(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e37_79b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
}

/** Returns how much of `wanted` is in `got`, dB: the ratio of its energy to the difference's. */
export function likenessDb(wanted: Int16Array, got: Int16Array): number {
  let signal = 1;
  let error = 1;
  for (let n = 0; n < Math.min(wanted.length, got.length); n++) {
    signal += wanted[n]! ** 2;
    error += (wanted[n]! - got[n]!) ** 2;
  }
  return 10 * Math.log10(signal / error);
}
