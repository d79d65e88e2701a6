import { decodeDocument } from '../bson/decode.js';
import type { Doc } from '../bson/values.js';
import { CommandError } from '../errors/errors.js';
import type { Filter } from '../query/filter.js';
import { matches } from '../query/match.js';
import type { Collection } from '../storage/collection.js';
import type { IndexEntry, KeyRange } from '../storage/rows.js';
import type { Plan } from './plan.js';

/** MongoDB's code when a collection goes away under an open cursor. */
const QUERY_PLAN_KILLED = 175;
const FIRST_PAGE = 16;
const LARGEST_PAGE = 512;

/** What a scan has read, for `explain` and for tests that prove an index was used. */
export interface ScanCounters {
  keysExamined: number;
  docsExamined: number;
}

/** A matching document: where it lies, its bytes, and what they decode to. */
export interface Match {
  readonly id: number;
  readonly bytes: Buffer;
  readonly doc: Doc;
}

/** Hook of a scan: throws when the command's time is up. */
export type Checkpoint = () => void;

/**
 * Yields the documents of a plan that match. Reads page by page and holds no database statement open, so a
 * scan can rest in a cursor while other commands write; like MongoDB it then sees some of their changes.
 */
export function* scan(
  collection: Collection,
  plan: Plan,
  filter: Filter,
  counters: ScanCounters,
  checkpoint: Checkpoint,
): Generator<Match> {
  if (plan.kind === 'index' && plan.exact) {
    yield* exactMatches(collection, plan, counters, checkpoint);
    return;
  }
  for (const { id, body } of candidates(collection, plan, counters, checkpoint)) {
    counters.docsExamined++;
    const match = new StoredMatch(id, body);
    if (matches(filter, match.doc)) yield match;
  }
}

/** Yields what has the whole keys of a unique index: entry and document are read at once, and nothing is compared. */
function* exactMatches(
  collection: Collection,
  plan: IndexPlan,
  counters: ScanCounters,
  checkpoint: Checkpoint,
): Generator<Match> {
  for (const { from } of plan.backwards ? plan.ranges.toReversed() : plan.ranges) {
    checkpoint();
    checkAlive(collection);
    const row = plan.index.table.document(from);
    if (row === undefined) continue;
    counters.keysExamined++;
    counters.docsExamined++;
    yield new StoredMatch(row.id, row.body);
  }
}

/** A document that is decoded when somebody looks into it. */
class StoredMatch implements Match {
  private decoded: Doc | undefined;

  constructor(
    readonly id: number,
    readonly bytes: Buffer,
  ) {}

  get doc(): Doc {
    this.decoded ??= decodeDocument(this.bytes);
    return this.decoded;
  }
}

interface Candidate {
  readonly id: number;
  readonly body: Buffer;
}

function* candidates(
  collection: Collection,
  plan: Plan,
  counters: ScanCounters,
  checkpoint: Checkpoint,
): Generator<Candidate> {
  switch (plan.kind) {
    case 'collection':
      yield* everyDocument(collection, checkpoint);
      return;
    case 'index':
      yield* indexed(collection, plan, counters, checkpoint);
      return;
    case 'union': {
      const seen = new Set<number>();
      for (const part of plan.plans) {
        for (const candidate of candidates(collection, part, counters, checkpoint)) {
          if (seen.has(candidate.id)) continue;
          seen.add(candidate.id);
          yield candidate;
        }
      }
    }
  }
}

function* everyDocument(collection: Collection, checkpoint: Checkpoint): Generator<Candidate> {
  let last = 0;
  for (let size = FIRST_PAGE; ; size = Math.min(size * 4, LARGEST_PAGE)) {
    checkpoint();
    checkAlive(collection);
    const page = collection.documents.page(last, false, size);
    for (const row of page) {
      last = row.id;
      yield row;
    }
    if (page.length < size) return;
  }
}

type IndexPlan = Extract<Plan, { kind: 'index' }>;

function* indexed(
  collection: Collection,
  plan: IndexPlan,
  counters: ScanCounters,
  checkpoint: Checkpoint,
): Generator<Candidate> {
  const seen = plan.index.multikey === 0 ? undefined : new Set<number>();
  const entries = plan.merged
    ? mergedEntries(collection, plan, checkpoint)
    : entriesInTurn(collection, plan, checkpoint);
  for (const entry of entries) {
    counters.keysExamined++;
    if (seen?.has(entry.id)) continue;
    seen?.add(entry.id);
    const body = collection.documents.read(entry.id);
    if (body !== undefined) yield { id: entry.id, body };
  }
}

/** Yields the entries of one range after those of the other. */
function* entriesInTurn(
  collection: Collection,
  plan: IndexPlan,
  checkpoint: Checkpoint,
): Generator<IndexEntry> {
  const ranges = plan.backwards ? plan.ranges.toReversed() : plan.ranges;
  for (const range of ranges) yield* entriesOf(collection, plan, range, checkpoint);
}

/** Yields the entries of all ranges in the order of the fields after those that each range fixes. */
function* mergedEntries(
  collection: Collection,
  plan: IndexPlan,
  checkpoint: Checkpoint,
): Generator<IndexEntry> {
  const heads: { readonly rest: Generator<IndexEntry>; readonly prefix: number; entry: IndexEntry }[] = [];
  for (const range of plan.ranges) {
    const rest = entriesOf(collection, plan, range, checkpoint);
    const first = rest.next();
    if (!first.done) heads.push({ rest, prefix: range.prefix, entry: first.value });
  }
  const turn = plan.backwards ? -1 : 1;
  while (heads.length > 0) {
    const next = heads.reduce((best, head) =>
      turn * compareAfter(head.entry.key, head.prefix, best.entry.key, best.prefix) < 0 ? head : best,
    );
    yield next.entry;
    const following = next.rest.next();
    if (following.done) heads.splice(heads.indexOf(next), 1);
    else next.entry = following.value;
  }
}

/** Compares what follows the first bytes of two keys. */
function compareAfter(a: Buffer, aFrom: number, b: Buffer, bFrom: number): number {
  return a.compare(b, bFrom, b.length, aFrom, a.length);
}

/** Yields the entries of a range, page by page. */
function* entriesOf(
  collection: Collection,
  { index, backwards }: IndexPlan,
  range: KeyRange,
  checkpoint: Checkpoint,
): Generator<IndexEntry> {
  let last: IndexEntry | undefined;
  for (let size = FIRST_PAGE; ; size = Math.min(size * 4, LARGEST_PAGE)) {
    checkpoint();
    checkAlive(collection);
    const page = index.table.page(range, backwards, last, size);
    for (const entry of page) {
      last = entry;
      yield entry;
    }
    if (page.length < size) return;
  }
}

/** Throws QueryPlanKilled (175) when the collection was dropped under an open cursor. */
export function checkAlive(collection: Collection): void {
  if (collection.dropped) {
    throw new CommandError(QUERY_PLAN_KILLED, `collection dropped: ${collection.namespace}`);
  }
}
