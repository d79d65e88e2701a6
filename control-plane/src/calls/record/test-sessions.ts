/** What stands for the carrier of a test session with a voice: the tester's own connection. */
export const TESTER_LINES = ['websocket', 'webrtc'] as const;
export type TesterLine = (typeof TESTER_LINES)[number];
const ANY_LINE: readonly string[] = TESTER_LINES;

/**
 * Sessions in which somebody tries an agent out run as calls do, and are none of the tenant's calls: they
 * are found by their session and their id, but neither listed, counted nor published to webhooks. Those of
 * production are billed, and held against credit and daily cap, as what they are: conversations without a carrier.
 */
export function isTestSession({ carrier }: { readonly carrier: string }): boolean {
  return ANY_LINE.includes(carrier);
}

/** Restricts a query of calls to those that are no test sessions. */
export const NO_TEST_SESSIONS = { carrier: { $nin: [...TESTER_LINES] } };
