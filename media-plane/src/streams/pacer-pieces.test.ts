import { describe, expect, it } from 'vitest';
import { audio, call } from './testing/paced-call.js';

const ms = (piece: { frame: Uint8Array }) => piece.frame.length / 8;

/** A call of a carrier that takes longer pieces than a frame. */
const inPieces = () => call({ leadMs: 200, pieceMs: 60 });

describe('audio in pieces', () => {
  it('begins with one frame, fills the lead, and goes on in pieces of 60 ms', () => {
    const { clock, output, sent } = inPieces();
    output.begin(1);
    output.write(1, audio(2000));
    expect(sent.map(ms)).toEqual([20, 180]);
    clock.advance(600);
    expect(sent.slice(2).map(ms)).toEqual(Array.from({ length: 10 }, () => 60));
    const distances = sent.slice(3).map(({ at }, n) => at - sent[n + 2]!.at);
    expect(distances).toEqual(distances.map(() => 60));
  });

  it('keeps the carrier between 140 ms and the lead ahead', () => {
    const { clock, output, sent } = inPieces();
    output.begin(1);
    output.write(1, audio(5000));
    for (let at = 1; at < 4700; at++) {
      clock.advance(1);
      const ahead = sent.reduce((sum, piece) => sum + ms(piece), 0) - clock.monotonic();
      expect(ahead).toBeLessThanOrEqual(200);
      // The pacer looks every 10 ms.
      expect(ahead).toBeGreaterThan(130);
    }
  });

  it('sends exactly the audio, and what is left of a piece at the end', () => {
    const { clock, output, sent, joined, played, finished } = inPieces();
    const speech = audio(1010);
    output.begin(1);
    for (let at = 0; at < speech.length; at += 500) output.write(1, speech.subarray(at, at + 500));
    output.finish(1);
    clock.advance(2000);
    expect(joined(sent).subarray(0, speech.length)).toEqual(speech);
    expect(joined(sent)).toHaveLength(1020 * 8);
    expect(joined(played)).toEqual(joined(sent));
    expect(finished).toEqual([{ turn: 1, playedMs: 1010, at: expect.any(Number) }]);
  });

  it('does not wait for a whole piece when the voice is as slow as speech', () => {
    const { clock, output, sent } = inPieces();
    output.begin(1);
    for (let n = 0; n < 50; n++) {
      output.write(1, audio(20, n));
      clock.advance(20);
    }
    expect(sent.map(ms)).toEqual(Array.from({ length: 50 }, () => 20));
  });

  it('knows the position between two pieces, and reports frames as they were heard', () => {
    const { clock, output, played } = inPieces();
    output.begin(1);
    output.write(1, audio(1000));
    clock.advance(333);
    expect(output.playedMs(1)).toBe(333);
    clock.advance(67);
    expect(played.map(({ at }) => at)).toEqual(played.map((_, n) => n * 20));
    expect(played.length).toBeGreaterThanOrEqual(17);
    expect(output.clear(1)).toBe(400);
    expect(played.reduce((sum, { frame }) => sum + frame.length / 8, 0)).toBe(400);
  });

  it('reports what was heard soon enough for those who listen in', () => {
    const { clock, output, played } = inPieces();
    output.begin(1);
    output.write(1, audio(2000));
    for (let at = 1; at < 1900; at++) {
      clock.advance(1);
      // Of the frame whose end has come, so long ago at most.
      expect(clock.monotonic() - played.length * 20).toBeLessThan(20 + 50);
    }
  });

  it('resumes a paused turn with the lead at once', () => {
    const { clock, output, sent } = inPieces();
    output.begin(1);
    output.write(1, audio(1000));
    clock.advance(250);
    output.pause(1);
    const before = sent.length;
    clock.advance(500);
    output.resume(1, 250);
    expect(sent.slice(before).map(ms)).toEqual([200]);
    clock.advance(60);
    expect(sent.slice(before).map(ms)).toEqual([200, 60]);
  });

  it('ends a turn no later than frame by frame', () => {
    const frames = call({ leadMs: 200, markGraceMs: 0 });
    const pieces = call({ leadMs: 200, pieceMs: 60, markGraceMs: 0 });
    for (const { output, clock } of [frames, pieces]) {
      output.begin(1);
      output.write(1, audio(710));
      output.finish(1);
      clock.advance(1000);
    }
    expect(pieces.finished).toEqual(frames.finished);
  });

  it('offers a piece again that a slow connection did not take', () => {
    const { clock, output, sent, carrier, joined } = inPieces();
    output.begin(1);
    output.write(1, audio(600));
    clock.advance(100);
    carrier.accepts = false;
    clock.advance(100);
    const held = sent.length;
    carrier.accepts = true;
    clock.advance(500);
    expect(sent.length).toBeGreaterThan(held);
    expect(joined(sent)).toEqual(audio(600));
  });
});
