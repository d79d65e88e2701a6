import { type CountPlan, planCount } from '../planning/count-plan.js';
import { type Checkpoint, checkAlive, type ScanCounters } from '../planning/scan.js';
import { MATCH_ALL } from '../query/filter.js';
import type { Collection } from '../storage/collection.js';
import type { Command } from './command.js';
import { newCounters, optionalFilter, type Query, selected } from './find.js';
import { checkHint } from './hint.js';

/** What is counted: the matches of a filter after `skip`, up to `limit` of them (zero is no limit). */
export type CountQuery = Pick<Query, 'filter' | 'skip' | 'limit' | 'hinted'>;

export const count: Command = (request, { store, clock }) => {
  const { args, database, checkpoint } = request;
  const name = args.string('count');
  const asked: CountQuery = {
    filter: optionalFilter(args, 'query', clock.now()),
    skip: args.count('skip') ?? 0,
    limit: args.count('limit') ?? 0,
  };
  args.refuse('collation');
  const hint = args.value('hint');
  args.ignore('fields');
  args.done();
  const collection = store.collection(database, name);
  const query = { ...asked, hinted: checkHint(collection, hint) };
  return { n: collection === undefined ? 0 : countMatches(collection, query, newCounters(), checkpoint) };
};

/** Counts matches; reads no document where an index, or the whole collection's size, answers exactly. */
export function countMatches(
  collection: Collection,
  query: CountQuery,
  counters: ScanCounters,
  checkpoint: Checkpoint,
): number {
  const { filter, skip, limit, hinted } = query;
  checkpoint();
  checkAlive(collection);
  const end = limit === 0 ? Infinity : skip + limit;
  const beforeEnd = (total: number): number => Math.max(0, Math.min(total, end) - skip);
  if (filter === MATCH_ALL) return beforeEnd(collection.documents.count());
  const plan = planCount(collection, filter, hinted);
  if (plan !== undefined) return beforeEnd(countEntries(plan, end, counters, checkpoint));
  let n = 0;
  for (const _ of selected(collection, { ...query, sort: undefined }, counters, checkpoint)) n++;
  return n;
}

/** Counts the entries in a plan's ranges, which never overlap; stops at `end`. */
function countEntries(
  { index, ranges }: CountPlan,
  end: number,
  counters: ScanCounters,
  checkpoint: Checkpoint,
): number {
  let total = 0;
  for (const range of ranges) {
    if (total >= end) break;
    checkpoint();
    const entries = index.table.countRange(range, end - total);
    counters.keysExamined += entries;
    total += entries;
  }
  return total;
}
