/** The payment provider reports a saved method to the service by itself, often after the person is back here. */
const LOOK_MS = 2000;
const LONGEST_MS = 90_000;

/** What is known of a method that was just set up. */
export interface Awaited {
  /** Whether the address says that the person comes from the payment provider's page. */
  readonly isBack: boolean;
  readonly hasMethod: boolean;
  /** From when the page was opened to when it last looked. */
  readonly waitedMs: number;
}

/** Checks whether the provider's confirmation is still to be expected. */
export const isAwaited = ({ isBack, hasMethod, waitedMs }: Awaited): boolean =>
  isBack && !hasMethod && waitedMs < LONGEST_MS;

/** Returns when to look again, in ms, or false. */
export const confirmationPollMs = (awaited: Awaited): number | false =>
  isAwaited(awaited) ? LOOK_MS : false;
