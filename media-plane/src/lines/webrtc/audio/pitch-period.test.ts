import { describe, expect, it } from 'vitest';
import { pitchPeriod } from './pitch-period.js';
import { SampleQueue } from './sample-queue.js';

const RATE = 16_000;
/** A voice of 125 Hz: periods of 128 samples. */
const voice = Int16Array.from(
  { length: 640 },
  (_, n) => 4000 * (Math.sin((2 * Math.PI * n) / 128) + 0.4 * Math.sin((6 * Math.PI * n) / 128 + 1)),
);
const queueOf = (samples: Int16Array) => {
  const queue = new SampleQueue(2000);
  queue.push(samples, false);
  return queue;
};
const largestStep = (samples: Int16Array) =>
  samples.reduce((most, sample, n) => (n ? Math.max(most, Math.abs(sample - samples[n - 1]!)) : 0), 0);

describe('the pitch period', () => {
  it('is found in a voice', () => {
    expect(pitchPeriod(voice, RATE)).toBe(128);
  });

  it('is not there in noise, nor in too little', () => {
    let seed = 1;
    const noise = Int16Array.from({ length: 640 }, () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return (seed % 8000) - 4000;
    });
    expect(pitchPeriod(noise, RATE)).toBeNull();
    expect(pitchPeriod(voice.subarray(0, 300), RATE)).toBeNull();
  });

  it('is the longest in silence', () => {
    expect(pitchPeriod(new Int16Array(640), RATE)).toBe(200);
  });
});

describe('the sample queue', () => {
  it.each(['shorten', 'lengthen'] as const)('can %s by a period without a step', (change) => {
    const queue = queueOf(voice);
    queue[change](128);
    expect(queue.length).toBe(640 + (change === 'shorten' ? -128 : 128));
    expect(largestStep(queue.samples)).toBeLessThanOrEqual(largestStep(voice) + 2);
    // It goes on as it would have.
    expect([...queue.samples.subarray(-256)]).toEqual([...voice.subarray(-256)]);
    expect(queue.samples[0]).toBe(voice[0]);
  });

  it('says how much of a frame was made up, what is missing included', () => {
    const queue = queueOf(voice.subarray(0, 100));
    queue.push(voice.subarray(0, 50), true);
    const frame = new Int16Array(320);
    expect(queue.shiftInto(frame)).toBe(50 + 170);
    expect(queue.length).toBe(0);
    expect(frame[200]).toBe(0);
  });

  it('takes no more than it has room for', () => {
    const queue = new SampleQueue(700);
    queue.push(voice, false);
    queue.push(voice, false);
    expect(queue.length).toBe(700);
    queue.lengthen(128);
    expect(queue.length).toBe(700);
  });
});
