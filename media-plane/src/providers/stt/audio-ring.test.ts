import { PCMU_8K } from '@voice/shared/audio/format';
import { describe, expect, it } from 'vitest';
import { AudioRing } from './audio-ring.js';

function frame(number: number): Uint8Array {
  return new Uint8Array(160).fill(number);
}

const kept = (ring: AudioRing) => [...ring.frames()].map((bytes) => bytes[0]);

describe('the audio kept for another connection', () => {
  it('keeps copies, as the caller reuses its bytes', () => {
    const ring = new AudioRing(1000, PCMU_8K);
    const bytes = frame(1);
    ring.push(bytes);
    bytes.fill(2);
    ring.push(bytes);
    expect(kept(ring)).toEqual([1, 2]);
    expect([ring.startMs, ring.endMs]).toEqual([0, 40]);
  });

  it('drops the oldest beyond its length, and knows where the rest begins', () => {
    const ring = new AudioRing(100, PCMU_8K);
    for (let number = 0; number < 8; number++) ring.push(frame(number));
    expect(kept(ring)).toEqual([3, 4, 5, 6, 7]);
    expect([ring.startMs, ring.endMs, ring.droppedMs]).toEqual([60, 160, 60]);
  });

  it('forgets what is decided, but no frame that reaches beyond it', () => {
    const ring = new AudioRing(1000, PCMU_8K);
    for (let number = 0; number < 5; number++) ring.push(frame(number));
    ring.trim(50);
    expect(kept(ring)).toEqual([2, 3, 4]);
    expect([ring.startMs, ring.droppedMs]).toEqual([40, 0]);
    ring.trim(1000);
    expect(kept(ring)).toEqual([]);
    expect([ring.startMs, ring.endMs]).toEqual([100, 100]);
  });

  it('keeps more frames than it had room for, in order, also when the oldest were dropped', () => {
    const ring = new AudioRing(4000, PCMU_8K);
    for (let number = 0; number < 50; number++) ring.push(frame(number));
    ring.trim(800);
    for (let number = 50; number < 150; number++) ring.push(frame(number));
    expect(kept(ring)).toEqual(Array.from({ length: 110 }, (_, n) => n + 40));
    ring.push(new Uint8Array(480).fill(200));
    expect(kept(ring)).toEqual([...Array.from({ length: 110 }, (_, n) => n + 40), 200]);
    expect([...ring.frames()].at(-1)).toHaveLength(480);
  });

  it('keeps frames of other lengths whole', () => {
    const ring = new AudioRing(1000, PCMU_8K);
    ring.push(new Uint8Array(400).fill(7));
    ring.push(frame(1));
    ring.trim(50);
    ring.push(frame(2));
    expect([...ring.frames()].map((bytes) => bytes.length)).toEqual([160, 160]);
    expect(kept(ring)).toEqual([1, 2]);
  });
});
