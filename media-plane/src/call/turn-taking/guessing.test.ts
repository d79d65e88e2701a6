import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { observed } from './estimate.js';
import {
  afterDroppedGuess,
  afterTurn,
  FULL_CREDIT,
  isAffordable,
  isPaid,
  waitOfDebtMs,
} from './guess-credit.js';
import { initialGuessing, leadMs } from './guessing.js';
import {
  earlyFinalMs,
  hasReliableInterims,
  lateFinalMs,
  UNKNOWN_RECOGNISER,
  withFinal,
} from './recogniser-habits.js';

describe('what is measured', () => {
  const values = fc.array(fc.double({ min: 0, max: 5000, noNaN: true }), { minLength: 1, maxLength: 60 });

  it('stays within what was seen and assumed, whatever comes', () => {
    fc.assert(
      fc.property(values, (all) => {
        const { count, mean, deviation } = all.reduce(observed, { count: 0, mean: 300, deviation: 50 });
        expect(count).toBe(all.length);
        expect(mean).toBeGreaterThanOrEqual(Math.min(300, ...all) - 1e-6);
        expect(mean).toBeLessThanOrEqual(Math.max(300, ...all) + 1e-6);
        expect(deviation).toBeGreaterThanOrEqual(0);
        expect(deviation).toBeLessThanOrEqual(5000);
      }),
    );
  });

  it('follows a recogniser that changes within some turns', () => {
    const slow = Array.from({ length: 40 }, () => 900).reduce(observed, {
      count: 0,
      mean: 300,
      deviation: 50,
    });
    expect(slow.mean).toBeGreaterThan(850);
    const fast = Array.from({ length: 40 }, () => 250).reduce(observed, slow);
    expect(fast.mean).toBeLessThan(310);
  });
});

describe("a recogniser's habits", () => {
  const after = (finals: number, isRevised: (n: number) => boolean) =>
    Array.from({ length: finals }, (_, n) => n).reduce(
      (habits, n) => withFinal(habits, { afterMs: 260, isRevised: isRevised(n) }),
      UNKNOWN_RECOGNISER,
    );

  it('are not relied on before some finals have said what the interim said', () => {
    expect(hasReliableInterims(UNKNOWN_RECOGNISER)).toBe(false);
    expect(hasReliableInterims(after(2, () => false))).toBe(false);
    expect(hasReliableInterims(after(3, () => false))).toBe(true);
    expect(hasReliableInterims(after(30, (n) => n % 3 === 0))).toBe(false);
  });

  it('expect a final about when it usually comes', () => {
    const habits = after(60, () => false);
    expect(earlyFinalMs(habits)).toBeGreaterThan(230);
    expect(lateFinalMs(habits)).toBeGreaterThan(260);
    expect(lateFinalMs(habits)).toBeLessThan(300);
  });
});

describe('what dropped answers may cost', () => {
  it('never lets more be dropped than turns pay for, and two more', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 400 }), (wanted) => {
        let credit = FULL_CREDIT;
        let dropped = 0;
        for (const wants of wanted) {
          if (wants && isAffordable(credit)) {
            credit = afterDroppedGuess(credit);
            dropped += 1;
          }
          credit = afterTurn(credit);
        }
        expect(dropped).toBeLessThan(2.5 + 0.1 * wanted.length);
      }),
    );
  });

  it('makes the next wait while one is owed', () => {
    expect([FULL_CREDIT, 0, -50].map(waitOfDebtMs)).toEqual([0, 0, 75]);
    expect([0, -1].map(isPaid)).toEqual([true, false]);
  });

  it('begins an answer as long before it is needed as answers take', () => {
    const known = initialGuessing();
    expect(leadMs(known)).toBe(600 + 2 * 100 + 50);
    expect(leadMs({ ...known, answerMs: { count: 9, mean: 200, deviation: 10 } })).toBe(270);
  });
});
