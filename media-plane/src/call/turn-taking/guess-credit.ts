/**
 * What guesses may cost: each turn of the caller pays for 0.1 dropped ones, and a call begins with half of one: less
 * than 0.15 a turn in calls of ten turns and more. All in hundredths of a request, so that sums are exact.
 */
export const FULL_CREDIT = 50;
const EARNED_BY_TURN = 10;
const PRICE_OF_DROPPED = 100;

/** How much longer a guess waits for each hundredth that is owed, in ms: the later, the surer. */
const WAIT_MS = 1.5;

/** Returns whether a guess may be made at all: two dropped ones that are not paid for are too many. */
export function isAffordable(credit: number): boolean {
  return credit > -PRICE_OF_DROPPED;
}

/** Returns whether no dropped guess is unpaid. */
export function isPaid(credit: number): boolean {
  return credit >= 0;
}

export function waitOfDebtMs(credit: number): number {
  return Math.max(0, -credit) * WAIT_MS;
}

export function afterTurn(credit: number): number {
  return Math.min(FULL_CREDIT, credit + EARNED_BY_TURN);
}

export function afterDroppedGuess(credit: number): number {
  return credit - PRICE_OF_DROPPED;
}
