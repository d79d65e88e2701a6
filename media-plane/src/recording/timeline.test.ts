import { encodeMulaw, MULAW_SILENCE } from '@voice/shared/audio/g711';
import { describe, expect, it } from 'vitest';
import { BLOCK_SAMPLES, StereoTimeline } from './timeline.js';

/** A frame of 20 ms of one value. */
const LOUD = 1000;
const frame = (value = LOUD, samples = 160) => encodeMulaw(new Int16Array(samples).fill(value));
const SILENCE = new Uint8Array(160).fill(MULAW_SILENCE);

function timeline() {
  const caller: number[] = [];
  const agent: number[] = [];
  const placed = new StereoTimeline((left, right) => {
    expect(left.length).toBe(right.length);
    caller.push(...left);
    agent.push(...right);
  });
  /** Where the lane is not silent, as [from, to] in samples. */
  const sound = (lane: number[]) => {
    const spans: [number, number][] = [];
    lane.forEach((value, n) => {
      if (value === 0) return;
      const last = spans.at(-1);
      if (last && last[1] === n) last[1] = n + 1;
      else spans.push([n, n + 1]);
    });
    return spans;
  };
  return { placed, caller, agent, sound };
}

describe('placing frames in time', () => {
  it('puts each lane where it belongs, with silence in between', () => {
    const { placed, caller, agent, sound } = timeline();
    placed.place('caller', frame(), 100);
    placed.place('agent', frame(), 250.5);
    placed.finish();
    expect(sound(caller)).toEqual([[800, 960]]);
    expect(sound(agent)).toEqual([[2004, 2164]]);
    expect(caller.length).toBe(2164);
  });

  it('joins frames without a seam when their positions jitter, and does not drift by it', () => {
    const { placed, caller, sound } = timeline();
    for (let n = 0; n < 500; n++) placed.place('caller', frame(), n * 20 + (n % 3) * 3 - 3);
    placed.finish();
    expect(sound(caller)).toEqual([[0, 500 * 160 - 24]]);
  });

  it('follows a clock that runs at another speed, within the seam', () => {
    const { placed, caller } = timeline();
    // 1 in 1000 fast: after 20 s it is 20 ms ahead.
    for (let n = 0; n < 1000; n++) placed.place('caller', frame(), n * 20.02);
    placed.finish();
    expect(Math.abs(caller.length - 1000 * 160.16)).toBeLessThanOrEqual(80);
  });

  it('keeps a real gap', () => {
    const { placed, agent, sound } = timeline();
    placed.place('agent', frame(), 0);
    placed.place('agent', frame(), 20 + 15);
    placed.finish();
    expect(sound(agent)).toEqual([
      [0, 160],
      [280, 440],
    ]);
  });

  it('takes frames that come in the wrong order or up to a second late', () => {
    const { placed, caller, agent, sound } = timeline();
    for (const at of [40, 0, 20]) placed.place('caller', frame(), at);
    for (let at = 60; at < 980; at += 20) placed.place('caller', SILENCE, at);
    placed.place('agent', frame(), 10);
    placed.finish();
    expect(sound(caller)).toEqual([[0, 480]]);
    expect(sound(agent)).toEqual([[80, 240]]);
    expect(placed.dropped).toBe(0);
  });

  it('drops what comes too late: its place is already on disk', () => {
    const { placed, agent, sound } = timeline();
    for (let at = 0; at < 5000; at += 20) placed.place('caller', SILENCE, at);
    placed.place('agent', frame(), 1000);
    expect(placed.dropped).toBe(1);
    // And keeps the part of a long frame that is not.
    const fromMs = placed.handedOn / 8 - 10;
    placed.place('agent', frame(LOUD, 320), fromMs);
    placed.finish();
    expect(sound(agent)).toEqual([[placed.handedOn > 0 ? fromMs * 8 + 80 : 0, fromMs * 8 + 320]]);
  });

  it('has nothing of one time at another when the ring has turned', () => {
    const { placed, caller, sound } = timeline();
    const expected: [number, number][] = [];
    for (let at = 0; at < 30_000; at += 1000) {
      placed.place('caller', frame(), at);
      expected.push([at * 8, at * 8 + 160]);
    }
    placed.finish();
    expect(sound(caller)).toEqual(expected);
  });

  it('takes a long pause of both lanes as the silence it was', () => {
    const { placed, caller, agent, sound } = timeline();
    placed.place('caller', frame(), 0);
    placed.place('agent', frame(), 60_000);
    placed.finish();
    expect(sound(caller)).toEqual([[0, 160]]);
    expect(sound(agent)).toEqual([[480_000, 480_160]]);
  });

  it('refuses a position that cannot be right', () => {
    const { placed, caller } = timeline();
    placed.place('caller', frame(), 0);
    placed.place('caller', frame(), 4_000_000_000);
    placed.finish();
    expect([placed.dropped, caller.length]).toEqual([1, 160]);
  });

  it('cuts a frame of the first moments at zero', () => {
    const { placed, agent, sound } = timeline();
    placed.place('agent', frame(), -15);
    placed.finish();
    expect(sound(agent)).toEqual([[0, 40]]);
  });

  it('hands on in blocks, a second behind the latest audio', () => {
    const lengths: number[] = [];
    const placed = new StereoTimeline((left) => lengths.push(left.length));
    for (let at = 0; at < 1480; at += 20) placed.place('caller', frame(), at);
    expect(lengths).toEqual([]);
    for (let at = 1480; at < 3000; at += 20) placed.place('caller', frame(), at);
    expect(lengths).toEqual([BLOCK_SAMPLES, BLOCK_SAMPLES, BLOCK_SAMPLES]);
  });
});
