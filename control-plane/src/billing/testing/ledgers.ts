import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { silentLog } from '@voice/shared/log/log';
import type { Connection } from 'mongoose';
import { ensureIndexes, startTestStore } from '../../testing/store.js';
import { Ledger, type LedgerOptions } from '../ledger.js';
import { ledgerModel } from '../ledger-model.js';
import { pendingEntryModel } from '../pending-entry-model.js';

/** Builds the ledger of a replica of its own. */
export function ledgerOn(
  connection: Connection,
  clock: Clock = systemClock,
  options: Partial<LedgerOptions> = {},
): Ledger {
  const models = { entries: ledgerModel(connection), pending: pendingEntryModel(connection) };
  return new Ledger({ ...models, clock, log: silentLog, ...options });
}

/** Starts a store with the ledger's collections and their indexes. */
export async function startLedgerStore() {
  const store = await startTestStore();
  const connection = await store.connect();
  const models = { entries: ledgerModel(connection), pending: pendingEntryModel(connection) };
  await ensureIndexes(connection);
  return { store, connection, ...models };
}
