interface Span {
  /** Epoch ms. */
  readonly start: number;
  readonly end: number;
}

/** More would not be read out on the phone. */
const MAX_SLOTS = 10;
/** Slots begin at full quarter hours. */
const GRID_MS = 15 * 60_000;

/** Beginnings (epoch ms) of free times of `durationMs` within the window, one after the other. */
export function freeSlots(window: Span, busy: readonly Span[], durationMs: number): number[] {
  const slots: number[] = [];
  let at = Math.ceil(window.start / GRID_MS) * GRID_MS;
  while (at + durationMs <= window.end && slots.length < MAX_SLOTS) {
    const end = at + durationMs;
    const inTheWay = busy.filter((span) => span.start < end && span.end > at);
    const from = inTheWay.length === 0 ? end : Math.max(...inTheWay.map((span) => span.end));
    if (inTheWay.length === 0) slots.push(at);
    at = Math.ceil(from / GRID_MS) * GRID_MS;
  }
  return slots;
}
