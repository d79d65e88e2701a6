import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { silentLog } from '@voice/shared/log/log';
import type { Connection } from 'mongoose';
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
