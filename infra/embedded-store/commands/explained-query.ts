import { type Doc, isDoc, type Value } from '../bson/values.js';
import { CommandError, codes, notSupported } from '../errors/errors.js';
import { BASE_CONTEXT } from '../expressions/operators/registry.js';
import { parseSort } from '../fields/sort.js';
import { parseFilter } from '../query/parse.js';
import { leadingQuery } from './aggregate.js';
import { Arguments } from './arguments.js';
import type { CountQuery } from './count.js';
import { countingStages } from './count-pipeline.js';
import { optionalFilter, type Query, readQuery } from './find.js';

/** How a command finds its documents. */
export interface ExplainedQuery {
  readonly collection: string;
  readonly query: Pick<Query, 'filter' | 'sort' | 'skip' | 'limit'>;
  /** As it was given. */
  readonly hint: Value | undefined;
  /** Only the number of the matches is asked for. */
  readonly counts: boolean;
  /** What is done with what is found, as MongoDB names it; undefined where it is the answer. */
  readonly stage?: 'UPDATE' | 'DELETE' | 'GROUP';
}

const EVERYTHING = { sort: undefined, skip: 0, limit: 0 } as const;
const ONE = { skip: 0, limit: 1 } as const;

/** Reads a command as `explain` is given it: find, count, distinct, aggregate, and writes of one statement. */
export function readExplained(inner: Doc, now: number): ExplainedQuery {
  const command = inner.keys().next().value ?? '';
  const read = READERS[command];
  if (!read || typeof inner.get(command) !== 'string') throw notSupported(`explain of ${command}`);
  const args = new Arguments(command, inner);
  return { collection: args.string(command), hint: args.value('hint'), ...read(args, now) };
}

type Reader = (args: Arguments, now: number) => Omit<ExplainedQuery, 'collection' | 'hint'>;

const READERS: Readonly<Record<string, Reader>> = {
  find(args, now) {
    args.ignore('batchSize', 'singleBatch');
    const query = readQuery(args, now);
    args.done();
    return { query, counts: false };
  },
  count(args, now) {
    const query: CountQuery = {
      filter: optionalFilter(args, 'query', now),
      skip: args.count('skip') ?? 0,
      limit: args.count('limit') ?? 0,
    };
    args.refuse('collation');
    args.ignore('fields');
    args.done();
    return { query: { ...query, sort: undefined }, counts: true };
  },
  distinct(args, now) {
    const filter = optionalFilter(args, 'query', now);
    args.refuse('collation');
    args.ignore('key');
    args.done();
    return { query: { ...EVERYTHING, filter }, counts: false };
  },
  aggregate(args, now) {
    const pipeline = args.array('pipeline');
    args.refuse('collation', 'let');
    args.ignore('cursor', 'allowDiskUse', 'bypassDocumentValidation');
    args.done();
    const { filter, sort, used } = leadingQuery(pipeline, { ...BASE_CONTEXT, now });
    const counting = sort === undefined ? countingStages(pipeline, used) : undefined;
    const { skip, limit } = counting ?? EVERYTHING;
    const query = { filter, sort, skip, limit };
    return { query, counts: counting !== undefined, ...(used < pipeline.length ? { stage: 'GROUP' } : {}) };
  },
  update(args, now) {
    const statement = onlyStatement(args, 'updates');
    const filter = filterOf(statement, 'q', now);
    const sort = parseSort(documentOf(statement, 'sort'));
    const limits = statement.get('multi') === true ? EVERYTHING : { ...ONE, sort };
    return { query: { ...limits, filter }, counts: false, stage: 'UPDATE' };
  },
  delete(args, now) {
    const statement = onlyStatement(args, 'deletes');
    const limit = new Arguments('delete.deletes', statement).count('limit') ?? 0;
    return {
      query: { ...EVERYTHING, limit, filter: filterOf(statement, 'q', now) },
      counts: false,
      stage: 'DELETE',
    };
  },
  findAndModify(args, now) {
    const filter = optionalFilter(args, 'query', now);
    const sort = parseSort(args.optionalDocument('sort') ?? new Map());
    const stage = args.boolean('remove') ? 'DELETE' : 'UPDATE';
    return { query: { ...ONE, filter, sort }, counts: false, stage };
  },
};

function onlyStatement(args: Arguments, name: string): Doc {
  const [statement, ...others] = args.documents(name);
  if (!statement || others.length > 0)
    throw new CommandError(codes.InvalidLength, 'explained write batches must be of size 1');
  return statement;
}

function filterOf(statement: Doc, name: string, now: number) {
  return parseFilter(documentOf(statement, name), { ...BASE_CONTEXT, now });
}

function documentOf(statement: Doc, name: string): Doc {
  const value = statement.get(name);
  return isDoc(value) ? value : new Map();
}
