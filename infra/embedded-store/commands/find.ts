import { type EncodableDocument, RawDocument } from '../bson/encode.js';
import { CommandError, codes } from '../errors/errors.js';
import { BASE_CONTEXT } from '../expressions/operators/registry.js';
import { parseSort, type SortOrder, sortBy } from '../fields/sort.js';
import { type Plan, planQuery } from '../planning/plan.js';
import { type Checkpoint, type Match, type ScanCounters, scan } from '../planning/scan.js';
import { type Projection, parseProjection } from '../projection/projection.js';
import { type Filter, MATCH_ALL } from '../query/filter.js';
import { parseFilter } from '../query/parse.js';
import type { Collection, Index } from '../storage/collection.js';
import type { Arguments } from './arguments.js';
import type { Command } from './command.js';
import { checkHint } from './hint.js';

/** A find command's question, parsed. */
export interface Query {
  readonly filter: Filter;
  readonly sort: SortOrder | undefined;
  readonly projection: Projection | undefined;
  readonly skip: number;
  /** Zero is no limit. */
  readonly limit: number;
  /** The index that a hint names. */
  readonly hinted?: Index | undefined;
}

export const find: Command = (request, { store, cursors, clock }) => {
  const { args, database, checkpoint } = request;
  const name = args.string('find');
  const asked = readQuery(args, clock.now());
  const batchSize = args.count('batchSize');
  const single = args.boolean('singleBatch');
  const hint = args.value('hint');
  args.done();
  const collection = store.collection(database, name);
  const query = { ...asked, hinted: checkHint(collection, hint) };
  const results = collection ? findResults(collection, query, checkpoint) : [].values();
  const batch = cursors.first(`${database}.${name}`, results, batchSize, single);
  return {
    cursor: { firstBatch: batch.documents, id: batch.cursorId, ns: `${database}.${name}` },
  };
};

/** Reads the arguments that find shares with explain. */
export function readQuery(args: Arguments, now: number): Query {
  args.refuse(
    'collation',
    'let',
    'min',
    'max',
    'returnKey',
    'showRecordId',
    'tailable',
    'awaitData',
    'resumeAfter',
  );
  args.ignore('allowDiskUse', 'noCursorTimeout', 'allowPartialResults', 'oplogReplay');
  return {
    filter: optionalFilter(args, 'filter', now),
    sort: parseSort(args.optionalDocument('sort') ?? new Map()),
    projection: parseProjection(args.optionalDocument('projection') ?? new Map(), true, {
      ...BASE_CONTEXT,
      now,
    }),
    skip: args.count('skip') ?? 0,
    limit: args.count('limit') ?? 0,
  };
}

export function optionalFilter(args: Arguments, name: string, now: number): Filter {
  const document = args.optionalDocument(name);
  return document === undefined ? MATCH_ALL : parseFilter(document, { ...BASE_CONTEXT, now });
}

function* findResults(
  collection: Collection,
  query: Query,
  checkpoint: Checkpoint,
): Generator<EncodableDocument> {
  for (const match of selected(collection, query, newCounters(), checkpoint)) {
    yield query.projection ? query.projection(match.doc, query.filter) : new RawDocument(match.bytes);
  }
}

export function newCounters(): ScanCounters {
  return { keysExamined: 0, docsExamined: 0 };
}

/** Yields the matches of a query in its order, after skip and limit. */
export function* selected(
  collection: Collection,
  query: Pick<Query, 'filter' | 'sort' | 'skip' | 'limit' | 'hinted'>,
  counters: ScanCounters,
  checkpoint: Checkpoint,
  plan: Plan = planQuery(collection, query.filter, query.sort, query.hinted),
): Generator<Match> {
  const { sort, skip, limit } = query;
  const end = limit === 0 ? Infinity : skip + limit;
  const found: Iterable<Match> = scan(collection, plan, query.filter, counters, checkpoint);
  const inOrder = sort && !plan.sorted ? sortBy(found, sort, ({ doc }) => doc, end) : found;
  let at = 0;
  for (const match of inOrder) {
    if (at++ >= skip) yield match;
    if (at >= end) return;
  }
}

/** Finds the first match in a sort order, or undefined. */
export function firstMatch(
  collection: Collection,
  filter: Filter,
  sort: SortOrder | undefined,
  checkpoint: Checkpoint,
): Match | undefined {
  const found = selected(collection, { filter, sort, skip: 0, limit: 1 }, newCounters(), checkpoint).next();
  return found.done ? undefined : found.value;
}

export const getMore: Command = ({ args, database }, { cursors }) => {
  const id = args.int64('getMore');
  const namespace = `${database}.${args.string('collection')}`;
  const batchSize = args.count('batchSize');
  args.done();
  const batch = cursors.next(id, namespace, batchSize);
  return { cursor: { nextBatch: batch.documents, id: batch.cursorId, ns: namespace } };
};

export const killCursors: Command = ({ args }, { cursors }) => {
  args.string('killCursors');
  const ids = args.array('cursors');
  args.done();
  const killed: bigint[] = [];
  const missing: bigint[] = [];
  for (const id of ids) {
    if (typeof id !== 'bigint') throw new CommandError(codes.TypeMismatch, 'a cursor id has to be a long');
    (cursors.kill(id) ? killed : missing).push(id);
  }
  return { cursorsKilled: killed, cursorsNotFound: missing, cursorsAlive: [], cursorsUnknown: [] };
};
