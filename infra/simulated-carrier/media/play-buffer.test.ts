import { describe, expect, it } from 'vitest';
import { PlayBuffer } from './play-buffer.js';

const bytes = (length: number, value: number) => new Uint8Array(length).fill(value);

describe('the play buffer', () => {
  it('plays audio of any length in order, 20 ms at a time, then silence', () => {
    const buffer = new PlayBuffer();
    buffer.audio(bytes(100, 1));
    buffer.audio(bytes(200, 2));
    expect([...buffer.play().frame]).toEqual([...bytes(100, 1), ...bytes(60, 2)]);
    expect([...buffer.play().frame]).toEqual([...bytes(140, 2), ...bytes(20, 0xff)]);
    expect([...buffer.play().frame]).toEqual([...bytes(160, 0xff)]);
    expect(buffer.waiting).toBe(0);
  });

  it('returns a mark with the frame that plays the last byte before it', () => {
    const buffer = new PlayBuffer();
    buffer.audio(bytes(320, 1));
    expect(buffer.mark('a')).toEqual([]);
    buffer.audio(bytes(160, 2));
    buffer.mark('b');
    expect(buffer.play().marks).toEqual([]);
    expect(buffer.play().marks).toEqual(['a']);
    expect(buffer.play().marks).toEqual(['b']);
  });

  it('returns a mark at once when nothing waits', () => {
    expect(new PlayBuffer().mark('now')).toEqual(['now']);
  });

  it('discards the audio on clear and returns all marks', () => {
    const buffer = new PlayBuffer();
    buffer.audio(bytes(1000, 1));
    buffer.mark('a');
    buffer.audio(bytes(1000, 2));
    buffer.mark('b');
    expect(buffer.clear()).toEqual(['a', 'b']);
    expect(buffer.waiting).toBe(0);
    expect([...buffer.play().frame]).toEqual([...bytes(160, 0xff)]);
    expect(buffer.clear()).toEqual([]);
  });
});
