import type { RollupChange, RollupStateModel } from '../platform/rollups/model.js';
import type { Rollups } from '../platform/rollups/rollups.js';
import { scopeOf } from '../platform/store/tenant-scope.js';

/** Rows that one answer names. */
const SHOWN = 20;

interface RollupCheckOptions {
  readonly states: RollupStateModel;
  readonly kinds: { readonly [kind: string]: Pick<Rollups<never>, 'differences'> };
}

export interface CheckedRollups {
  /** Of what is counted, and of its owner: where to go on. */
  readonly id: string;
  readonly tenant_id: string;
  readonly sandbox: boolean;
  /** Rows that differ from a full count. */
  readonly different: number;
  /** The first of them, and what they lack. */
  readonly differences: RollupChange[];
}

/** Holds the sums that are kept against a full count, one owner at a time. */
export class RollupCheck {
  readonly #options: RollupCheckOptions;

  constructor(options: RollupCheckOptions) {
    this.#options = options;
  }

  /** Counts the documents of the owner after `after`, by id; null after the last. With `repair` rows are put right. */
  async next(after: string, repair: boolean): Promise<CheckedRollups | null> {
    const state = await this.#options.states
      .findOne({ _id: { $gt: after } })
      .sort({ _id: 1 })
      .lean();
    if (!state) return null;
    const { _id: id, tenant_id, sandbox } = state;
    const rollups = this.#options.kinds[id.split('/', 1)[0]!];
    const found = rollups ? await rollups.differences(scopeOf(state), repair) : [];
    return { id, tenant_id, sandbox, different: found.length, differences: found.slice(0, SHOWN) };
  }
}
