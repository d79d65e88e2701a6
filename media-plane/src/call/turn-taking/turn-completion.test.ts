import { turnTakingSettings } from '@voice/shared/contracts/agent';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { combinedDelay } from './combined-delay.js';
import type { Effect } from './effects.js';
import { ScriptedCall } from './testing/scripted-call.js';

const ON = { preemptive_generation: 'off' as const, semantic_end_of_turn: 'on' as const };
const SPOKEN_AT = 1000;

/** A call whose caller says the text; the model judges the sound of it `afterMs` behind the end of the speech. */
function judged(
  text: string,
  probability: number,
  { afterMs = 260, finalMs = 250, settings = ON as Partial<typeof ON> & object } = {},
) {
  const call = new ScriptedCall({ settings }).start().run(SPOKEN_AT);
  const stoppedAt = SPOKEN_AT + call.callerSays(text, { finalMs });
  call.send({ type: 'turn_completion', probability, stoppedAt }, stoppedAt - SPOKEN_AT + afterMs);
  return { call, stoppedAt };
}

/** From the end of the speech to the decision that the turn is over, in ms. */
function delay(...args: Parameters<typeof judged>): number {
  const { call, stoppedAt } = judged(...args);
  call.until('generate');
  return call.now - stoppedAt;
}

describe('the sound of the end of the speech', () => {
  it('shortens the pause to the confident minimum when words agree that it is the end', () => {
    expect(delay('I need a table', 0.97)).toBe(260);
    expect(delay('I need a table', 0.97, { afterMs: 240, finalMs: 151 })).toBe(250);
  });

  it('lengthens the pause when it goes on, the surer the longer', () => {
    expect(delay('I need a table', 0.25)).toBe(800);
    expect(delay('I need a table', 0)).toBe(1200);
  });

  it('changes nothing when it is undecided', () => {
    expect(delay('I need a table', 0.7)).toBe(400);
    expect(delay('I need a table', 0.5)).toBe(400);
  });

  it('does not outweigh words that surely go on', () => {
    expect(delay('I need a table for', 0.99)).toBe(1200);
    expect(delay('my number is five five five', 0.99)).toBe(1600);
    expect(delay('I need a table for', 0)).toBe(1200);
  });

  it('counts half where the recogniser is confident of the opposite', () => {
    const { call, stoppedAt } = judged('I need a table', 0, { finalMs: 151, afterMs: 200 });
    call.send({ type: 'end_of_turn', source: 'stt', confidence: 0.95 }, stoppedAt - SPOKEN_AT + 160);
    call.until('generate');
    expect(call.now - stoppedAt).toBe(250 + 400);
  });

  it('counts for words that come behind it', () => {
    expect(delay('I need a table', 0, { afterMs: 230, finalMs: 700 })).toBe(1200);
    expect(delay('I need a table', 0.97, { afterMs: 230, finalMs: 350 })).toBe(350);
  });

  it('is of no account where the agent has it switched off', () => {
    expect(delay('I need a table', 0, { settings: { ...ON, semantic_end_of_turn: 'off' as never } })).toBe(
      400,
    );
  });

  it('that is judged when the turn is over changes nothing', () => {
    const { call } = judged('I need a table', 0, { afterMs: 600 });
    const other = new ScriptedCall({ settings: ON }).start().run(SPOKEN_AT);
    other.callerSays('I need a table', { finalMs: 250 });
    expect(call.run(20_000).trace()).toEqual(other.run(20_000).trace());
  });

  it('of speech that the caller went on from changes nothing', () => {
    const { call, stoppedAt } = judged('I need a table', 0, { afterMs: 1500 });
    call.run(stoppedAt - SPOKEN_AT + 300);
    const lasts = call.callerSays('for four people');
    call.until('generate');
    expect(call.now - stoppedAt - 300 - lasts).toBe(400);
  });

  it('never ends a turn by itself: without words there is none', () => {
    const call = new ScriptedCall({ settings: ON }).start().run(SPOKEN_AT);
    call.callerCoughs(500);
    call.send({ type: 'turn_completion', probability: 1, stoppedAt: SPOKEN_AT + 500 }, 760);
    expect(call.run(2900).trace()).toEqual([]);
  });
});

describe('any judgement of the sound, at any time', () => {
  const said = fc.constantFrom('I need a table', 'I need a table for', 'Jane', 'um', 'five five five');
  const limits = fc.record({
    min_endpointing_ms: fc.integer({ min: 0, max: 2000 }),
    confident_endpointing_ms: fc.integer({ min: 0, max: 2000 }),
    max_endpointing_ms: fc.integer({ min: 2000, max: 4000 }),
  });
  const probability = fc.double({ min: 0, max: 1, noNaN: true });

  it('ends a turn never before the minimum and never after the maximum', () => {
    fc.assert(
      fc.property(
        said,
        probability,
        limits,
        fc.nat(5000),
        fc.nat(2000),
        (text, likely, set, afterMs, finalMs) => {
          const ends = delay(text, likely, { afterMs, finalMs, settings: { ...ON, ...set } });
          const words = Math.max(finalMs, 151);
          const shortest = Math.min(set.min_endpointing_ms, set.confident_endpointing_ms);
          expect(ends).toBeGreaterThanOrEqual(Math.min(set.max_endpointing_ms, Math.max(shortest, words)));
          expect(ends).toBeLessThanOrEqual(set.max_endpointing_ms);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('leads to nothing in its own decision but moved timers', () => {
    fc.assert(
      fc.property(said, probability, fc.nat(4000), (text, likely, afterMs) => {
        const { call } = judged(text, likely, { afterMs });
        call.run(10_000);
        const types = new Set<Effect['type']>(['set_timer', 'cancel_timer']);
        for (const { event, effects } of call.log) {
          if (event.type !== 'turn_completion') continue;
          expect(effects.filter(({ type }) => !types.has(type))).toEqual([]);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('makes the pause no shorter the less likely the end is', () => {
    const settings = turnTakingSettings.parse({});
    fc.assert(
      fc.property(probability, probability, fc.nat(1500), fc.boolean(), (a, b, wordsMs, confidentEnd) => {
        const of = (completion: number) => combinedDelay(settings, { wordsMs, confidentEnd, completion });
        expect(of(Math.min(a, b))).toBeGreaterThanOrEqual(of(Math.max(a, b)));
      }),
    );
  });
});
