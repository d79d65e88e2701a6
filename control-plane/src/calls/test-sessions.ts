import type { CallDocument } from './model.js';

/** What stands for the carrier of a test session with a voice: the tester's own connection. */
const OWN_CONNECTION = 'websocket';

/**
 * Sessions in which somebody tries an agent out run as calls do, and are none of the tenant's calls: they
 * are found by their session and their id, but neither listed, counted, billed nor told to webhooks.
 */
export function isTestSession({ carrier }: Pick<CallDocument, 'carrier'>): boolean {
  return carrier === OWN_CONNECTION;
}

/** Restrict a query of calls to those that are test sessions, or to those that are not. */
export const TEST_SESSIONS = { carrier: OWN_CONNECTION } as const;
export const NO_TEST_SESSIONS = { carrier: { $ne: OWN_CONNECTION } } as const;
