import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import { IncomingAudio } from './incoming-audio.js';
import { buildRtp, parseRtp } from './rtp.js';
import { likenessDb, randomNumbers, receive, sentPackets, type TimedPacket } from './testing/network.js';
import { speechLike } from './testing/speech-like.js';

const RATE = 16_000;
const SECONDS = 6;
const speech = speechLike(SECONDS, RATE);
const sent = sentPackets(speech, RATE);
const undisturbed = receive(sent, RATE, SECONDS * 1000);

const count = (flags: readonly boolean[]) => flags.filter(Boolean).length;
const arriving = (delay: (n: number) => number): TimedPacket[] =>
  sent.map((packet, n) => ({ ...packet, at: packet.at + delay(n) }));
/** From the third second on: the buffer has found its delay. */
const settled = (samples: Int16Array) => samples.subarray(2 * RATE, 5 * RATE);
/** By how many samples what was heard comes later than it does undisturbed, up to 100 ms. */
function laterBy(samples: Int16Array): number {
  const reference = undisturbed.samples.subarray(2 * RATE, 2.5 * RATE);
  let best = { shift: 0, likeness: Number.NEGATIVE_INFINITY };
  for (let shift = 0; shift < RATE / 10; shift++) {
    const likeness = likenessDb(reference, samples.subarray(2 * RATE + shift, 2.5 * RATE + shift));
    if (likeness > best.likeness) best = { shift, likeness };
  }
  return best.shift;
}
const renumbered = (packets: readonly TimedPacket[], ssrc: number, timestamp: number, sequence: number) =>
  packets.map(({ at, bytes }, n) => {
    const rtp = parseRtp(bytes)!;
    const first = parseRtp(packets[0]!.bytes)!;
    return {
      at,
      bytes: buildRtp({
        ...rtp,
        ssrc,
        timestamp: (timestamp + ((rtp.timestamp - first.timestamp) >>> 0)) >>> 0,
        sequenceNumber: (sequence + n) & 0xffff,
      }),
    };
  });

describe('incoming audio', () => {
  it('is what was spoken, in frames of 20 ms, 50 a second, from the first packet on', () => {
    expect(undisturbed.positions.slice(0, 4)).toEqual([0, 20, 40, 60]);
    expect(undisturbed.frameTimes.every((at, n) => at === undisturbed.frameTimes[0]! + n * 20)).toBe(true);
    expect(undisturbed.frameTimes.length).toBe(SECONDS * 50);
    expect(count(undisturbed.concealed)).toBe(0);
    expect(undisturbed.statistics).toMatchObject({
      packetsReceived: sent.length,
      packetsLost: 0,
      concealed: 0,
    });
    // The delay of codec and buffer: 26.5 ms, found by trying.
    const likeness = Array.from({ length: 1000 }, (_, delay) =>
      likenessDb(speech.subarray(RATE, RATE + 4000), undisturbed.samples.subarray(RATE + delay)),
    );
    expect(Math.max(...likeness)).toBeGreaterThan(8);
    expect(likeness.indexOf(Math.max(...likeness)) / (RATE / 1000)).toBeLessThan(50);
  });

  it('comes at 24 kHz, too', () => {
    const wide = speechLike(2, 24_000);
    const heard = receive(sentPackets(wide, 24_000), 24_000, 2000);
    expect(heard.samples.length).toBe(2 * 24_000);
    expect(count(heard.concealed)).toBe(0);
  });

  it("is not missed in the sender's silence: noise stands for it, and is not called concealed", () => {
    // No packets for most of a pause (discontinuous transmission); speech after it is in its place.
    const paused = sent.filter(({ at }, n) => n > 0 && at - sent[n - 1]!.at > 100);
    expect(paused.length).toBeGreaterThan(0);
    expect(undisturbed.statistics.packetsLost).toBe(0);
    expect(count(undisturbed.concealed)).toBe(0);
    const late = receive(
      arriving(() => 300),
      RATE,
      6300,
    );
    expect(likenessDb(settled(undisturbed.samples), settled(late.samples))).toBeGreaterThan(40);
  });

  it('keeps 12 dB of likeness at 10 % random loss, where silence keeps 8', () => {
    for (const seed of [1, 2, 3]) {
      const random = randomNumbers(seed);
      const kept = sent.filter((_, n) => n === 0 || random() >= 0.1);
      const heard = receive(kept, RATE, SECONDS * 1000);
      expect(heard.statistics.packetsLost).toBeGreaterThan(sent.length * 0.05);
      // Most of what was lost comes back by the redundancy in the next packet.
      expect(heard.statistics.concealed).toBeLessThan(heard.statistics.packetsLost / 2);
      // All of it comes later by what that takes.
      const shift = laterBy(heard.samples);
      expect(shift / (RATE / 1000)).toBeLessThan(60);
      expect(
        likenessDb(settled(undisturbed.samples), settled(heard.samples.subarray(shift))),
      ).toBeGreaterThan(12);
    }
  });

  it('goes on for a while where packets are missing, then fades to silence within 100 ms', () => {
    const gap = sent.filter(({ at }) => at < 3200 || at >= 3800);
    const heard = receive(gap, RATE, SECONDS * 1000);
    const level = (fromMs: number, toMs: number) =>
      Math.hypot(...heard.samples.subarray(fromMs * 16, toMs * 16)) / Math.sqrt((toMs - fromMs) * 16);
    const first = heard.concealed.indexOf(true) * 20;
    expect(level(first, first + 20)).toBeGreaterThan(100);
    expect(level(first + 120, first + 500)).toBe(0);
    expect(count(heard.concealed)).toBeGreaterThanOrEqual(28);
    // No click at the joins: no step larger than speech itself makes.
    const step = (samples: Int16Array) =>
      samples.reduce((most, sample, n) => (n ? Math.max(most, Math.abs(sample - samples[n - 1]!)) : 0), 0);
    expect(step(heard.samples)).toBeLessThan(1.3 * step(undisturbed.samples));
  });

  it('is in order again where packets overtook each other, and takes none twice', () => {
    const random = randomNumbers(4);
    const shuffled = arriving(() => 45 * random());
    const heard = receive([...shuffled, ...shuffled.filter((_, n) => n % 3 === 0)], RATE, SECONDS * 1000);
    expect(heard.statistics).toMatchObject({ packetsReceived: sent.length, packetsLost: 0 });
    expect(heard.statistics.concealed).toBeLessThan(6);
    expect(heard.statistics.jitterMs).toBeGreaterThan(5);
  });

  it('is held back for longer as packets jitter, and for less again when they do not', () => {
    const random = randomNumbers(9);
    const thrice = Int16Array.from({ length: 3 * speech.length }, (_, n) => speech[n % speech.length]!);
    const heard = receive(
      sentPackets(thrice, RATE).map(({ at, bytes }) => ({
        at: at + (at > 2000 && at < 4000 ? 90 * random() : 0),
        bytes,
      })),
      RATE,
      3 * SECONDS * 1000,
    );
    const delayAt = (ms: number) => heard.bufferMs[ms / 20]!;
    expect(delayAt(1200)).toBeLessThan(45);
    const most = Math.max(...heard.bufferMs);
    expect(most).toBeGreaterThan(70);
    expect(most).toBeLessThan(220);
    expect(heard.bufferMs.at(-1)).toBeLessThan(50);
    // Time was stretched and compressed by whole periods of the voice, not by cutting.
    expect(heard.statistics.concealed).toBeLessThan(8);
  });

  it('is made up for after a stall, and catches up without losing the words', () => {
    const heard = receive(
      arriving((n) => (sent[n]!.at >= 3000 && sent[n]!.at < 3300 ? 3300 - sent[n]!.at : 0)),
      RATE,
      SECONDS * 1000,
    );
    const [peak, end] = [Math.max(...heard.bufferMs), heard.bufferMs.at(-1)!];
    expect(heard.statistics.packetsLost).toBe(0);
    expect(heard.statistics.concealed).toBeLessThanOrEqual(17);
    expect(peak).toBeLessThan(500);
    expect(end).toBeLessThan(peak - 20);
  });

  it('does not call the silence around a lost packet of silence concealed', () => {
    const silent = sent.findIndex(({ at }, n) => n > 0 && at - sent[n - 1]!.at > 100);
    const before = receive(sent, RATE, SECONDS * 1000).statistics.concealed;
    const lost = receive(
      sent.filter((_, n) => n !== silent),
      RATE,
      SECONDS * 1000,
    );
    expect(lost.statistics.packetsLost).toBe(1);
    expect(lost.statistics.concealed - before).toBeLessThanOrEqual(1);
  });

  it('goes on when another sender takes over, with other numbers', () => {
    const half = sent.length / 2;
    const second = renumbered(sent.slice(half), 99, 4_294_967_000, 65_530);
    const heard = receive([...sent.slice(0, half), ...second], RATE, SECONDS * 1000);
    expect(heard.frameTimes.length).toBe(SECONDS * 50);
    expect(heard.statistics).toMatchObject({ packetsReceived: sent.length, packetsLost: 0 });
    expect(heard.statistics.concealed).toBeLessThan(8);
    expect(Math.hypot(...heard.samples.subarray(5 * RATE))).toBeGreaterThan(10_000);
  });

  it('goes on when the same sender begins anew, with other timestamps', () => {
    const half = sent.length / 2;
    // A sender begins at any number: one near the last would be a gap and no beginning.
    const last = parseRtp(sent.slice(0, half).at(-1)!.bytes)!.sequenceNumber;
    const second = renumbered(sent.slice(half), 7, 123, last + 20_000);
    const heard = receive([...sent.slice(0, half), ...second], RATE, SECONDS * 1000);
    expect(heard.statistics.packetsLost).toBeLessThan(3);
    expect(heard.statistics.concealed).toBeLessThan(8);
  });

  it('is not disturbed by what is no packet of it', () => {
    const noise = sent.map(({ at }, n) => ({
      at,
      bytes: Uint8Array.from({ length: n % 40 }, (_, i) => i * n),
    }));
    const heard = receive([...sent, ...noise], RATE, SECONDS * 1000);
    expect(heard.statistics).toEqual(undisturbed.statistics);
  });

  it('stops with its line, and the clock stands still then', () => {
    const clock = new ScriptedClock();
    let frames = 0;
    const audio = new IncomingAudio({ sampleRate: RATE, clock, onFrame: () => frames++ });
    clock.advance(1000);
    expect(frames).toBe(0);
    audio.receive(sent[0]!.bytes);
    clock.advance(1000);
    expect(frames).toBe(50);
    audio.close();
    audio.close();
    audio.receive(sent[1]!.bytes);
    clock.advance(1000);
    expect(frames).toBe(50);
    expect(clock.pending).toBe(0);
  });
});
