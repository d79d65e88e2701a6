/** Labels of an axis: all of one unit, with as many digits as its steps need, so that `$0.05` stands beside `$0.10`. */
export type TickLabels = (ticks: readonly number[]) => string[];

const MOST_DIGITS = 6;

/** The digits after the point that a step needs. */
function digitsOf(ticks: readonly number[]): number {
  const step = Math.abs((ticks[1] ?? 0) - (ticks[0] ?? 0));
  for (let digits = 0; digits < MOST_DIGITS; digits += 1) {
    const scaled = step * 10 ** digits;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 * Math.max(1, scaled)) return digits;
  }
  return MOST_DIGITS;
}

const decimal = (value: number, digits: number) =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** `$0`, `$5`; `$0.00`, `$0.05`, `$0.10`. Takes USD. */
export const moneyTicks: TickLabels = (ticks) => {
  const digits = digitsOf(ticks);
  return ticks.map((usd) => `$${decimal(usd, digits === 1 ? 2 : digits)}`);
};

/** `0 ms`, `200 ms`; `0.0 s`, `0.5 s`, `1.0 s` where one is a second or longer. Takes ms. */
export const latencyTicks: TickLabels = (ticks) => {
  if (Math.max(0, ...ticks) < 1000) return ticks.map((ms) => `${decimal(ms, digitsOf(ticks))} ms`);
  const seconds = ticks.map((ms) => ms / 1000);
  return seconds.map((s) => `${decimal(s, digitsOf(seconds))} s`);
};

/** `0`, `500`, `1,000`; nothing at what is no whole number. */
export const countTicks: TickLabels = (ticks) =>
  ticks.map((count) => (Number.isInteger(count) ? decimal(count, 0) : ''));
