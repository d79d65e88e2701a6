import { describe, expect, it } from 'vitest';
import { WaveformLatency } from './waveform-latency.js';

const RATE = 8000;

/** A channel with a tone of speech's level where the spans say so, over noise. */
function channel(lengthMs: number, spans: readonly (readonly [number, number])[], noise = 0): Int16Array {
  const samples = new Int16Array((lengthMs * RATE) / 1000);
  for (let i = 0; i < samples.length; i++) samples[i] = noise === 0 ? 0 : ((i * 7919) % (2 * noise)) - noise;
  for (const [from, until] of spans) {
    for (let i = (from * RATE) / 1000; i < (until * RATE) / 1000; i++) {
      samples[i]! += Math.round(6000 * Math.sin((2 * Math.PI * 220 * i) / RATE));
    }
  }
  return samples;
}

/** Measures in pieces, as a recording is read. */
function measure(caller: Int16Array, agent: Int16Array) {
  const waveform = new WaveformLatency(RATE);
  for (let at = 0; at < caller.length; at += 4032) {
    waveform.push(caller.subarray(at, at + 4032), agent.subarray(at, at + 4032));
  }
  const { responses, barge_ins } = waveform.figures();
  return {
    responses: responses.map((one) => one.agent_began_at_ms - one.caller_ended_at_ms),
    at: responses.map((one) => one.agent_began_at_ms),
    bargeIns: barge_ins.map((one) => one.agent_ended_at_ms - one.caller_began_at_ms),
  };
}

describe('the latency that a recording shows', () => {
  it('is from the last sound of the caller to the first of the agent', () => {
    const caller = channel(12_000, [
      [1000, 2000],
      [6000, 7500],
    ]);
    const agent = channel(12_000, [
      [0, 800],
      [2640, 4000],
      [4500, 5000],
      [9350, 11_000],
    ]);
    expect(measure(caller, agent)).toEqual({ responses: [640, 1850], at: [2640, 9350], bargeIns: [] });
  });

  it('counts from the end of a sentence with pauses, and passes over clicks', () => {
    const caller = channel(6000, [
      [1000, 1400],
      [1700, 2200],
      [2500, 2530],
    ]);
    const agent = channel(6000, [[2900, 4000]]);
    expect(measure(caller, agent).responses).toEqual([700]);
  });

  it('is there in noise as well', () => {
    const caller = channel(
      8000,
      [
        [1000, 2000],
        [5000, 6000],
      ],
      250,
    );
    const agent = channel(8000, [
      [2640, 4000],
      [6700, 7900],
    ]);
    expect(measure(caller, agent).responses).toEqual([640, 700]);
  });

  it('is nothing where the caller said nothing new, still speaks, or was silent for long', () => {
    const caller = channel(40_000, [
      [1000, 2000],
      [4500, 5500],
      [9000, 9500],
    ]);
    const agent = channel(40_000, [
      [2500, 3000],
      [3800, 4200],
      [5000, 6000],
      [30_000, 31_000],
    ]);
    expect(measure(caller, agent).responses).toEqual([500]);
  });

  it('is not reported for a time in which the recording was paused', () => {
    const waveform = new WaveformLatency(RATE);
    waveform.gap(3000);
    waveform.gap(3500);
    waveform.push(
      channel(9000, [
        [1000, 2000],
        [6000, 7000],
      ]),
      channel(9000, [
        [4000, 5000],
        [7600, 8000],
      ]),
    );
    expect(waveform.figures().responses).toEqual([{ caller_ended_at_ms: 7000, agent_began_at_ms: 7600 }]);
  });

  it('of an interruption is from the first sound of the caller to silence, also after a “mhm”', () => {
    const caller = channel(9000, [
      [1500, 1700],
      [3000, 4000],
    ]);
    const agent = channel(9000, [
      [500, 3130],
      [4700, 8000],
    ]);
    expect(measure(caller, agent)).toMatchObject({ bargeIns: [130], responses: [700] });
  });

  it('of an interruption is nothing where the agent goes on', () => {
    const caller = channel(9000, [[1500, 1900]]);
    const agent = channel(9000, [[500, 6000]]);
    expect(measure(caller, agent).bargeIns).toEqual([]);
  });
});
