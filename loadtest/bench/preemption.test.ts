import { describe, expect, it } from 'vitest';
import { type PreemptionResult, preemptionTable } from './preemption.js';
import { type Utterance, withPauses } from './speech.js';
import { idealResponseMs, MULAW_CASCADE } from './subject.js';

describe('the table of preemptive generation', () => {
  const result = (change: Partial<PreemptionResult>): PreemptionResult => ({
    mode: 'off',
    answers: 40,
    responseMs: 810,
    belowVendorDelaysMs: -10,
    turns: 50,
    kept: 0,
    dropped: 0,
    ...change,
  });
  const line = (of: string, ...results: PreemptionResult[]) =>
    preemptionTable(results)
      .split('\n')
      .find((one) => one.startsWith(of));

  it('has the gain over the same calls without, and what it costs a turn', () => {
    const on = result({ mode: 'llm', responseMs: 610, belowVendorDelaysMs: 190, kept: 48, dropped: 5 });
    expect(line('gain', result({}), on)).toMatch(/0\s+200$/);
    expect(line('below the sum', result({}), on)).toMatch(/-10\s+190$/);
    expect(line('extra model requests a turn', result({}), on)).toMatch(/0\.00\s+0\.10$/);
    expect(line('answers begun early', result({}), on)).toMatch(/0\.00\s+0\.96$/);
  });

  it('has no figures where nothing was measured', () => {
    const none = result({ responseMs: null, belowVendorDelaysMs: null, turns: 0 });
    expect(line('gain', none)).toMatch(/–$/);
    expect(line('extra', none)).toMatch(/–$/);
  });

  it('is set against the delays of its own vendors', () => {
    expect(idealResponseMs({ ...MULAW_CASCADE, preemption: 'off' })).toBe(800);
  });
});

describe('utterances with a pause', () => {
  const frame = () => new Uint8Array(160);
  const utterance = (text: string, firstLoud: number, lastLoud: number): Utterance => ({
    text,
    words: [{ text, start_ms: 0, end_ms: 100 }],
    audio: new Uint8Array(1600),
    frames: Array.from({ length: 10 }, frame),
    firstLoud,
    lastLoud,
  });

  it('are one in five, put together of two, with 320 ms of silence between their sounds', () => {
    const said = withPauses({ sentences: [utterance('a', 1, 7), utterance('b', 2, 8)], interruptions: [] });
    const joined = said.sentences.filter(({ audio }) => audio.length === 0);
    expect([said.sentences.length, joined.length]).toEqual([5, 1]);
    const [{ firstLoud, lastLoud, frames }] = joined as [Utterance];
    // Two frames behind the one, two before the other, and twelve between.
    expect([firstLoud, lastLoud, frames.length]).toEqual([1, 10 + 12 + 8, 32]);
  });
});
