import { describe, expect, it } from 'vitest';
import {
  ARREARS_AFTER_STOP_MS,
  ARREARS_MS,
  afterSlots,
  CATCH_UP,
  type Pace,
  pacedAt,
  SLACK_MS,
  slotMs,
  slotsDue,
} from './pacing.js';

const START = 1_000_000;

/** Looks at a campaign whenever `looks` says, and takes `use` of the slots that are due. */
function run(options: {
  readonly callsPerMinute: number;
  readonly looks: Iterable<number>;
  /** How many contacts can be called of those that there are slots for; all by default. */
  readonly use?: (due: number, now: number) => number;
}): number[] {
  let pace: Pace = {
    callsPerMinute: options.callsPerMinute,
    nextSlotAt: START,
    nextAtFastest: 0,
    stoppedAt: null,
  };
  const begun: number[] = [];
  for (const now of options.looks) {
    const due = slotsDue(pace, now);
    const used = Math.min(due, options.use?.(due, now) ?? due);
    if (used > 0) pace = { ...pace, ...afterSlots(pace, now, used) };
    if (used < due) pace = { ...pace, stoppedAt: now };
    for (let n = 0; n < used; n++) begun.push(now);
  }
  return begun;
}

/** Moments of looks about every `everyMs`, never quite regular, except while nobody looks. */
function* looks(untilMs: number, everyMs = 200, stall?: { readonly fromMs: number; readonly ms: number }) {
  for (let at = 0; at < untilMs; at += everyMs * (0.75 + ((at * 7) % 11) / 20)) {
    if (stall && at >= stall.fromMs && at < stall.fromMs + stall.ms) continue;
    yield START + at;
  }
}

/** The most that began within any `withinMs`. */
function mostWithin(begun: readonly number[], withinMs: number): number {
  let most = 0;
  for (let from = 0, to = 0; to < begun.length; to++) {
    while (begun[from]! <= begun[to]! - withinMs) from++;
    most = Math.max(most, to - from + 1);
  }
  return most;
}
const before = (begun: readonly number[], ms: number) => begun.filter((at) => at < START + ms).length;

describe('pacing', () => {
  it.each([1, 7, 60, 100, 900, 6000])('lets %i calls a minute begin, however the looks fall', (rate) => {
    for (const everyMs of [37, 200, 950]) {
      const begun = run({ callsPerMinute: rate, looks: looks(600_000, everyMs) });
      expect(Math.abs(begun.length - rate * 10)).toBeLessThanOrEqual(Math.max(1, rate * 10 * 0.005));
    }
  });

  it('gives no slot before it begins', () => {
    const pace: Pace = { callsPerMinute: 60, nextSlotAt: 1001, nextAtFastest: 0, stoppedAt: null };
    expect(slotsDue(pace, 1000)).toBe(0);
    expect(slotsDue(pace, 1001)).toBe(1);
  });

  // @rule 1.5
  it.each([
    [7, 30_000],
    [60, 5000],
    [900, 1000],
    [900, 5000],
    [900, 20_000],
    [6000, 10_000],
  ])(
    '%i a minute: nobody looks for %i ms, and the rate is made good within 5 times that',
    (rate, stalledMs) => {
      const stall = { fromMs: 30_000, ms: stalledMs };
      const begun = run({ callsPerMinute: rate, looks: looks(400_000, 200, stall) });
      const goodAgain = stall.fromMs + stalledMs + stalledMs / (CATCH_UP - 1) + 2 * slotMs(rate) + 1000;
      expect(before(begun, goodAgain)).toBeGreaterThanOrEqual(
        Math.floor((rate * (goodAgain - 1000)) / 60_000) - 1,
      );
      expect(before(begun, goodAgain)).toBeLessThanOrEqual((rate * goodAgain) / 60_000 + 1);
    },
  );

  // @rule 1.5
  it.each([1, 7, 50, 60, 61, 100, 900, 6000])(
    '%i a minute: after whatever stall, never more than 120 % of it in any time and one second',
    (rate) => {
      for (const ms of [900, 5000, 50_000]) {
        const begun = run({ callsPerMinute: rate, looks: looks(300_000, 200, { fromMs: 20_000, ms }) });
        for (const withinMs of [1, 1000, 10_000, 60_000]) {
          const most = (rate * CATCH_UP * (withinMs + SLACK_MS)) / 60_000;
          expect(mostWithin(begun, withinMs)).toBeLessThanOrEqual(Math.floor(most) + 1);
        }
      }
    },
  );

  it('forgets what was missed over a minute ago', () => {
    const stall = { fromMs: 10_000, ms: 1_800_000 };
    const begun = run({ callsPerMinute: 600, looks: looks(3_600_000, 200, stall) });
    const missedMs = (600 * 60 - begun.length) * slotMs(600);
    expect(Math.abs(missedMs - (stall.ms - ARREARS_MS))).toBeLessThan(1000);
  });

  it('owes nothing for a time in which no line was free or nobody was due, but for its last seconds', () => {
    const blocked = { from: START + 30_000, to: START + 330_000 };
    const begun = run({
      callsPerMinute: 600,
      looks: looks(600_000),
      use: (due, now) => (now >= blocked.from && now < blocked.to ? 0 : due),
    });
    const afterwards = begun.filter((at) => at >= blocked.to).length;
    const atRate = (START + 600_000 - blocked.to) / 100;
    expect(afterwards).toBeGreaterThanOrEqual(atRate - 3);
    expect(afterwards).toBeLessThanOrEqual(atRate + ARREARS_AFTER_STOP_MS / 100 + 3);
  });
});

describe('a campaign that is behind', () => {
  const HOUR = 3_600_000;
  /** A call a second, an hour late. */
  const late = { callsPerMinute: 60, nextSlotAt: 0, nextAtFastest: 0, stoppedAt: null };

  it('begins at once what fits into a second at 1.2 times its rate, and no more', () => {
    expect(slotsDue(late, HOUR)).toBe(2);
  });

  it('makes good a minute, and the rest is forgotten', () => {
    expect(afterSlots(late, HOUR, 2)).toEqual({
      nextSlotAt: HOUR - 60_000 + 2000,
      nextAtFastest: HOUR - 1000 + 2000 / 1.2,
    });
  });

  it('makes good ten seconds where something else was in the way until now', () => {
    expect(afterSlots({ ...late, stoppedAt: HOUR }, HOUR, 1).nextSlotAt).toBe(HOUR - 10_000 + 1000);
  });

  it('owes nothing before its next slot begins', () => {
    expect(slotsDue({ ...late, nextSlotAt: HOUR + 1500 }, HOUR)).toBe(0);
    expect(slotsDue({ ...late, nextSlotAt: HOUR }, HOUR)).toBe(1);
  });
});

it("a campaign's rate is its own or the tenant's limit, whichever is less", () => {
  expect([pacedAt(10, 5), pacedAt(5, 10)]).toEqual([5, 5]);
});
