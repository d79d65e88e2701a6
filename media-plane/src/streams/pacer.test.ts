import { FRAME_BYTES, MULAW_SILENCE } from '@voice/shared/audio/g711';
import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { describe, expect, it } from 'vitest';
import { audio, call } from './testing/paced-call.js';

describe('the pace', () => {
  it('writes the first frame at once, then keeps the carrier a lead ahead', () => {
    const { clock, output, sent, firstFrames } = call({ leadMs: 60 });
    clock.advance(1234.5);
    output.begin(1);
    output.write(1, audio(1000));
    expect(sent.map(({ at }) => at)).toEqual([1234.5, 1234.5, 1234.5]);
    expect(firstFrames).toEqual([{ turn: 1, at: 1234.5 }]);
    // The tick behind half a second.
    clock.advance(505.5);
    // After 500 ms of speech 25 frames were heard; 60 ms more are with the carrier.
    expect(sent).toHaveLength(28);
    clock.advance(5000);
    expect(sent).toHaveLength(50);
  });

  it('never gives the carrier more than the lead, nor lets it run dry', () => {
    const { clock, output, sent } = call({ leadMs: 60 });
    output.begin(1);
    output.write(1, audio(10_000));
    for (let ms = 1; ms < 9900; ms++) {
      clock.advance(1);
      const ahead = sent.length * 20 - clock.monotonic();
      expect(ahead).toBeLessThanOrEqual(60);
      expect(ahead).toBeGreaterThan(20);
    }
  });

  it('sends exactly the audio, whatever the pieces it came in, padded to a frame at the end', () => {
    const { clock, output, sent, joined } = call();
    const speech = audio(333);
    output.begin(1);
    for (let at = 0, n = 0; at < speech.length; n++) {
      const size = [1, 500, 37, 160][n % 4]!;
      output.write(1, speech.subarray(at, at + size));
      at += size;
    }
    output.finish(1);
    clock.advance(400);
    const out = joined(sent);
    expect(out).toHaveLength(17 * FRAME_BYTES);
    expect(out.subarray(0, speech.length)).toEqual(speech);
    expect(new Set(out.subarray(speech.length))).toEqual(new Set([MULAW_SILENCE]));
  });

  it('goes on at once when the voice was slower than speech, and does not count the gap as heard', () => {
    const { clock, output, sent, played } = call();
    output.begin(1);
    output.write(1, audio(40));
    clock.advance(300);
    expect(output.playedMs(1)).toBe(40);
    output.write(1, audio(40, 9));
    expect(sent.map(({ at }) => at)).toEqual([0, 0, 300, 300]);
    clock.advance(10);
    expect(output.playedMs(1)).toBe(50);
    clock.advance(100);
    expect(played.map(({ at }) => at)).toEqual([0, 20, 300, 320]);
  });

  it('after a stall of the process sends the lead and no burst beyond it', () => {
    const stalling = new (class extends ScriptedClock {
      stalled = 0;
      override monotonic() {
        return super.monotonic() + this.stalled;
      }
    })();
    const { output, sent } = call({ leadMs: 60 }, stalling);
    output.begin(1);
    output.write(1, audio(2000));
    stalling.advance(100);
    const before = sent.length;
    stalling.stalled = 700;
    stalling.advance(10);
    expect(sent.length - before).toBe(3);
    stalling.advance(500);
    expect(sent.length - before).toBe(3 + 25);
  });

  it.each([
    // The pacer looks every 10 ms: so much of the lead may be spent when the stall begins.
    [60, { least: 40, most: 50 }],
    [200, { least: 0, most: 0 }],
  ])('with a lead of %i ms leaves a gap of %o ms in a stall of the process of 100 ms', (leadMs, gap) => {
    const stalling = new (class extends ScriptedClock {
      override schedule(delayMs: number, task: () => void) {
        const due = this.monotonic() + delayMs;
        const late = due > 500 && due < 600 ? 600 - due : 0;
        return super.schedule(delayMs + late, task);
      }
    })();
    const { output, sent } = call({ leadMs }, stalling);
    output.begin(1);
    output.write(1, audio(2000));
    stalling.advance(2000);
    let drainedAt = 0;
    let gapMs = 0;
    for (const { at } of sent) {
      gapMs += Math.max(0, at - drainedAt);
      drainedAt = Math.max(at, drainedAt) + 20;
    }
    expect(sent).toHaveLength(100);
    expect(gapMs).toBeGreaterThanOrEqual(gap.least);
    expect(gapMs).toBeLessThanOrEqual(gap.most);
  });

  it('keeps a frame that the connection did not take', () => {
    const { clock, output, sent, carrier, joined } = call();
    output.begin(1);
    output.write(1, audio(100));
    carrier.accepts = false;
    clock.advance(200);
    expect(sent).toHaveLength(3);
    expect(output.playedMs(1)).toBe(60);
    carrier.accepts = true;
    output.finish(1);
    clock.advance(200);
    expect(joined(sent)).toEqual(audio(100));
  });
});

describe('the position', () => {
  it('is exact to the ms, by when frames are heard and not by when they were written', () => {
    const { clock, output } = call();
    output.begin(1);
    output.write(1, audio(1000));
    for (const ms of [1, 19, 20, 21, 333, 999]) {
      clock.advance(ms - clock.monotonic());
      expect(output.playedMs(1)).toBe(ms);
    }
    clock.advance(500);
    expect(output.playedMs(1)).toBe(1000);
  });

  it('of a turn that is not there is 0, of the last turn what was heard of it', () => {
    const { clock, output } = call();
    output.begin(1);
    output.write(1, audio(500));
    clock.advance(123);
    output.clear(1);
    expect(output.playedMs(1)).toBe(123);
    expect(output.playedMs(2)).toBe(0);
  });
});

describe('order of use', () => {
  it('refuses a turn that is begun while another is neither finished nor cleared', () => {
    const { output } = call();
    output.begin(1);
    expect(() => output.begin(2)).toThrow('before turn-1 was finished');
  });

  it('is silent after close', () => {
    const { clock, output, sent, finished, played, joined } = call();
    output.begin(1);
    output.write(1, audio(500));
    output.finish(1);
    clock.advance(90);
    output.close();
    output.close();
    const before = sent.length;
    clock.advance(1000);
    output.begin(2);
    expect(output.write(2, audio(20))).toBe(false);
    expect(sent).toHaveLength(before);
    expect(finished).toEqual([]);
    expect(joined(played)).toEqual(audio(90));
  });
});
