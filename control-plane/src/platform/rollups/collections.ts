import type { Connection } from 'mongoose';
import { type RollupModel, type RollupStateModel, rollupModel, rollupStateModel } from './model.js';

/** The collections of all sums, which every room that counts shares. */
export interface RollupCollections {
  readonly rows: RollupModel;
  readonly states: RollupStateModel;
}

/** Builds them, once a replica. */
export const rollupCollections = (store: Connection): RollupCollections => ({
  rows: rollupModel(store),
  states: rollupStateModel(store),
});
