/**
 * Finds the row that a key leads to, from the row that has the focus (-1: none has); null for a key that leads nowhere.
 * ↑ and ↓ (or k and j) go from row to row, Home and End to the first and the last.
 */
export function rowByKey(key: string, at: number, count: number): number | null {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, Home: -at, End: count - at }[key];
  return step === undefined || count === 0 ? null : Math.max(0, Math.min(count - 1, at + step));
}

/** Adds a row to those that are in sight, in their order: one that has the focus stays in the page. */
export const withRow = (inSight: readonly number[], row: number): number[] =>
  row < 0 || inSight.includes(row) ? [...inSight] : [...inSight, row].sort((a, b) => a - b);
