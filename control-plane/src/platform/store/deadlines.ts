import type { ConnectOptions } from 'mongoose';

/**
 * How soon the driver notices a store that does not answer, in ms. A monitor of its own connection asks the
 * server every `heartbeatFrequencyMS`; without an answer in `connectTimeoutMS` it interrupts every operation
 * that is under way, and each of them, like each later one, looks for a server for at most
 * `serverSelectionTimeoutMS`. So an operation fails 4 s after the store froze at the latest, while one that is
 * slow on a store that lives may be slow. (`timeoutMS` would bound the whole iteration of a cursor as well, and
 * cut long exports off.)
 */
const DEADLINES = {
  heartbeatFrequencyMS: 1000,
  connectTimeoutMS: 1500,
  serverSelectionTimeoutMS: 1500,
  /** For a place in the pool, while all connections are busy on a store that lives. */
  waitQueueTimeoutMS: 4000,
  /** The longest that any one answer may take; building an index is waited for in several turns. */
  socketTimeoutMS: 30_000,
} as const satisfies ConnectOptions;

/** Returns the deadlines of store operations; what the URI says itself stands. */
export function storeDeadlines(uri: string): Partial<typeof DEADLINES> {
  const said = uri.toLowerCase();
  return Object.fromEntries(
    Object.entries(DEADLINES).filter(([name]) => !said.includes(`${name.toLowerCase()}=`)),
  );
}
