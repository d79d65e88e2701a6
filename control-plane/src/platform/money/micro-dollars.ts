/** Money inside: integer micro-dollars (1 USD = 1,000,000), so that sums are exact. */
export type MicroDollars = number;

export const MICRO_PER_USD = 1_000_000;

/** As the API shows it: a number of USD with at most 6 decimals. */
export function toUsd(micro: MicroDollars): number {
  return micro / MICRO_PER_USD;
}

/** Returns the nearest micro-dollar. */
export function fromUsd(usd: number): MicroDollars {
  return Math.round(usd * MICRO_PER_USD);
}
