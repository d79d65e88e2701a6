import { type PipelineContext, parsePipeline } from '../aggregation/pipeline.js';
import { STAGES } from '../aggregation/stages/registry.js';
import type { EncodableDocument } from '../bson/encode.js';
import { type Doc, isDoc, type Value } from '../bson/values.js';
import { compare } from '../bson-order/compare.js';
import { encodeKey } from '../bson-order/keys.js';
import { CommandError, codes } from '../errors/errors.js';
import type { ParseContext } from '../expressions/expression.js';
import { BASE_CONTEXT } from '../expressions/operators/registry.js';
import { leafValues, splitPath } from '../fields/path.js';
import { parseSort, type SortOrder } from '../fields/sort.js';
import type { Checkpoint } from '../planning/scan.js';
import { allOf, type Filter, MATCH_ALL } from '../query/filter.js';
import { parseFilter } from '../query/parse.js';
import type { Collection, Index } from '../storage/collection.js';
import { Arguments } from './arguments.js';
import type { Command, CommandContext, CommandRequest } from './command.js';
import { countMatches } from './count.js';
import { type CountingStages, countingStages } from './count-pipeline.js';
import { newCounters, optionalFilter, type Query, selected } from './find.js';
import { checkHint } from './hint.js';

export const aggregate: Command = (request, context) => {
  const { args, database } = request;
  const name = args.value('aggregate');
  const pipeline = args.array('pipeline');
  const cursor = args.optionalDocument('cursor');
  args.refuse('collation', 'let', 'explain');
  const hint = args.value('hint');
  args.ignore('allowDiskUse', 'bypassDocumentValidation');
  args.done();
  if (typeof name !== 'string') {
    throw new CommandError(
      codes.InvalidNamespace,
      'an aggregation over a whole database is not supported by the embedded store',
    );
  }
  if (cursor === undefined) {
    throw new CommandError(
      codes.FailedToParse,
      "The 'cursor' option is required, except for aggregate with the explain argument",
    );
  }
  const options = new Arguments('aggregate.cursor', cursor);
  const size = options.count('batchSize');
  options.done();
  const hinted = checkHint(context.store.collection(database, name), hint);
  const results = aggregateResults(request, context, name, pipeline, hinted);
  const batch = context.cursors.first(`${database}.${name}`, results[Symbol.iterator](), size, false);
  return { cursor: { firstBatch: batch.documents, id: batch.cursorId, ns: `${database}.${name}` } };
};

function aggregateResults(
  request: CommandRequest,
  { store, clock }: CommandContext,
  name: string,
  pipeline: readonly Value[],
  hinted: Index | undefined,
): Iterable<EncodableDocument> {
  const { database, checkpoint } = request;
  const read = (
    collection: Collection | undefined,
    query: Pick<Query, 'filter' | 'sort' | 'hinted'>,
  ): Iterable<Doc> => (collection ? documents(collection, query, checkpoint) : []);
  const context: PipelineContext = {
    ...BASE_CONTEXT,
    stages: STAGES,
    now: clock.now(),
    checkpoint,
    lookup: (other, filter) => read(store.collection(database, other), { filter, sort: undefined }),
  };
  const run = parsePipeline(pipeline, context);
  const { filter, sort, used } = leadingQuery(pipeline, context);
  const collection = store.collection(database, name);
  const counting = sort === undefined ? countingStages(pipeline, used) : undefined;
  if (collection !== undefined && counting !== undefined) {
    const afterwards = parsePipeline(pipeline.slice(used + counting.used), context);
    return afterwards(counted(collection, { filter, hinted }, counting, checkpoint));
  }
  const rest = used === 0 ? run : parsePipeline(pipeline.slice(used), context);
  return rest(read(collection, { filter, sort, hinted }));
}

function* documents(
  collection: Collection,
  query: Pick<Query, 'filter' | 'sort' | 'hinted'>,
  checkpoint: () => void,
): Generator<Doc> {
  for (const { doc } of selected(collection, { ...query, skip: 0, limit: 0 }, newCounters(), checkpoint))
    yield doc;
}

/** Counts lazily, as all results are: when the cursor is first read. */
function* counted(
  collection: Collection,
  query: Pick<Query, 'filter' | 'hinted'>,
  { skip, limit, output }: CountingStages,
  checkpoint: Checkpoint,
): Generator<Doc> {
  yield* output(countMatches(collection, { ...query, skip, limit }, newCounters(), checkpoint));
}

/**
 * Returns the `$match` stages that a pipeline starts with, and a `$sort` after them: answered by the query planner.
 */
export function leadingQuery(
  pipeline: readonly Value[],
  context: ParseContext,
): {
  filter: Filter;
  sort: SortOrder | undefined;
  used: number;
} {
  const filters: Filter[] = [];
  let used = 0;
  for (; used < pipeline.length; used++) {
    const stage = pipeline[used];
    const match = isDoc(stage) ? stage.get('$match') : undefined;
    if (match === undefined || !isDoc(match)) break;
    filters.push(parseFilter(match, context));
  }
  const next = pipeline[used];
  const sort = isDoc(next) ? next.get('$sort') : undefined;
  const filter = filters.length === 0 ? MATCH_ALL : allOf(filters);
  return isDoc(sort) ? { filter, sort: parseSort(sort), used: used + 1 } : { filter, sort: undefined, used };
}

export const distinct: Command = (request, { store, clock }) => {
  const { args, database, checkpoint } = request;
  const name = args.string('distinct');
  const path = splitPath(args.string('key'));
  const filter = optionalFilter(args, 'query', clock.now());
  args.refuse('collation');
  const hint = args.value('hint');
  args.done();
  const collection = store.collection(database, name);
  checkHint(collection, hint);
  const values = new Map<string, Value>();
  if (collection !== undefined) {
    for (const { doc } of selected(
      collection,
      { filter, sort: undefined, skip: 0, limit: 0 },
      newCounters(),
      checkpoint,
    )) {
      for (const value of leafValues(doc, path)) {
        const key = encodeKey([value], [1]).toString('latin1');
        // Of equal numbers of different types the first one found is returned.
        if (!values.has(key)) values.set(key, value);
      }
    }
  }
  return { values: [...values.values()].sort(compare) };
};
