import type { TenantId } from '@voice/shared/ids/ids';
import type { MicroDollars } from '../platform/money/micro-dollars.js';
import {
  type AccountChange,
  type AccountState,
  applyToAccount,
  type ChangeOutcome,
  FORECAST_MS,
  NEW_ACCOUNT,
} from './account-state.js';
import type { LedgerRow } from './ledger-model.js';
import type { PendingEntryRow } from './pending-entry-model.js';

export type AppendedChange = Pick<PendingEntryRow, '_id' | 'at' | 'change'>;
type LastEntry = Pick<LedgerRow, 'seq' | 'at' | 'state'>;

export interface NextEntriesQuery {
  readonly tenant: TenantId;
  /** The ledger's last entry; null where it has none. */
  readonly last: LastEntry | null;
  /** In the order in which they are to be posted. */
  readonly pending: readonly AppendedChange[];
  /** Returns what the entries up to `last` had spent in all until then (epoch ms). */
  readonly spentUntil: (at: number) => Promise<MicroDollars>;
}

/** Returns the entries that the changes become after the ledger's last one: numbered, each with the account after it. */
export async function nextEntries({
  tenant,
  last,
  pending,
  spentUntil,
}: NextEntriesQuery): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  const spentBefore = async (cutoff: number) =>
    rows.findLast((row) => row.at.getTime() <= cutoff)?.state.totalSpent ?? (await spentUntil(cutoff));
  /** What was spent until the cutoff that was looked for last: at least as much was until every later one. */
  let known: { readonly cutoff: number; readonly spent: MicroDollars } | undefined;
  let [seq, at, state] = [last?.seq ?? 0, last?.at.getTime() ?? 0, last?.state ?? NEW_ACCOUNT];
  for (const { _id, at: appendedAt, change } of pending) {
    at = laterOf(at, appendedAt);
    const cutoff = at - FORECAST_MS;
    const outcomeAfter = (spent: MicroDollars) =>
      applyToAccount(state, change, { at, spentInForecast: state.totalSpent - spent });
    const isForeseen = mayBeForeseen(state, change);
    if (isForeseen) known ??= { cutoff, spent: await spentBefore(cutoff) };
    let outcome: ChangeOutcome = outcomeAfter(known?.spent ?? state.totalSpent);
    // Too much was taken for spent in the last day, perhaps: only what is foreseen from that is looked at closely.
    if (isForeseen && known && known.cutoff < cutoff && outcome.state.exhaustionForecast) {
      known = { cutoff, spent: await spentBefore(cutoff) };
      outcome = outcomeAfter(known.spent);
    }
    ({ state } = outcome);
    const { billable, notices } = outcome;
    seq++;
    rows.push({
      _id,
      tenant_id: tenant,
      seq,
      at: new Date(at),
      change,
      billable,
      notices: [...notices],
      state,
    });
  }
  return rows;
}

/** Returns the account after the ledger's last entry and changes that are not posted yet. Pure. */
export function stateAfter(last: LastEntry | null, pending: readonly AppendedChange[]): AccountState {
  let [at, state] = [last?.at.getTime() ?? 0, last?.state ?? NEW_ACCOUNT];
  for (const { at: appendedAt, change } of pending) {
    at = laterOf(at, appendedAt);
    // Whether the end of the credit is foreseen decides on a notice alone, which posting sends.
    ({ state } = applyToAccount(state, change, { at, spentInForecast: 0 }));
  }
  return state;
}

/** Clocks of replicas differ; the ledger's time does not run backwards. */
function laterOf(at: number, appendedAt: Date): number {
  return Math.max(at, appendedAt.getTime());
}

/** Whether it depends on what was spent in the last day whether the change brings a notice. */
function mayBeForeseen({ credit, exhaustionForecast }: AccountState, { kind }: AccountChange): boolean {
  return kind === 'usage' && credit !== null && credit > 0 && !exhaustionForecast;
}
