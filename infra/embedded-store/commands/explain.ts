import type { Encodable } from '../bson/encode.js';
import { CommandError, codes } from '../errors/errors.js';
import { planCount } from '../planning/count-plan.js';
import { type Plan, planQuery } from '../planning/plan.js';
import { MATCH_ALL } from '../query/filter.js';
import type { Collection, Index } from '../storage/collection.js';
import type { Command } from './command.js';
import { countMatches } from './count.js';
import { type ExplainedQuery, readExplained } from './explained-query.js';
import { newCounters, type Query, selected } from './find.js';
import { checkHint } from './hint.js';

type Stage = { [name: string]: Encodable };

/**
 * `explain`: how a command finds its documents, and what finding them reads. Of an aggregation, what its leading
 * `$match` and `$sort` read; of a write, what it would write to. Nothing is written.
 */
export const explain: Command = ({ args, database, checkpoint }, { store, clock }) => {
  const inner = args.document('explain');
  const verbosity = args.optionalString('verbosity') ?? 'allPlansExecution';
  args.done();
  const explained = readExplained(inner, clock.now());
  const namespace = `${database}.${explained.collection}`;
  const collection = store.collection(database, explained.collection);
  if (collection === undefined) {
    return { queryPlanner: { namespace, winningPlan: { stage: 'EOF' }, rejectedPlans: [] } };
  }
  const query = { ...explained.query, hinted: checkHint(collection, explained.hint) };
  const queryPlanner = { namespace, winningPlan: planOf(collection, explained, query), rejectedPlans: [] };
  if (verbosity === 'queryPlanner') return { queryPlanner };
  if (verbosity !== 'executionStats' && verbosity !== 'allPlansExecution') {
    throw new CommandError(codes.BadValue, `unknown verbosity '${verbosity}'`);
  }
  const counters = newCounters();
  let nReturned = 0;
  if (explained.counts) nReturned = countMatches(collection, query, counters, checkpoint);
  else for (const _ of selected(collection, query, counters, checkpoint)) nReturned++;
  return {
    queryPlanner,
    executionStats: {
      executionSuccess: true,
      nReturned,
      totalKeysExamined: counters.keysExamined,
      totalDocsExamined: counters.docsExamined,
    },
  };
};

type PlannedQuery = Pick<Query, 'filter' | 'sort' | 'hinted'>;

function planOf(collection: Collection, { counts, stage }: ExplainedQuery, query: PlannedQuery): Stage {
  if (counts) return { stage: 'COUNT', inputStage: countedBy(collection, query) };
  const found = describe(planQuery(collection, query.filter, query.sort, query.hinted));
  return stage === undefined ? found : { stage, inputStage: found };
}

function countedBy(collection: Collection, { filter, hinted }: PlannedQuery): Stage {
  if (filter === MATCH_ALL) return { stage: 'RECORD_STORE_FAST_COUNT' };
  const plan = planCount(collection, filter, hinted);
  if (plan) return { stage: 'COUNT_SCAN', ...named(plan.index), ranges: plan.ranges.length };
  return describe(planQuery(collection, filter, undefined, hinted));
}

function describe(plan: Plan): Stage {
  const source = scanOf(plan);
  return plan.sorted ? source : { stage: 'SORT', inputStage: source };
}

function scanOf(plan: Plan): Stage {
  switch (plan.kind) {
    case 'collection':
      return { stage: 'COLLSCAN', direction: 'forward' };
    case 'union':
      return { stage: 'OR', inputStages: plan.plans.map(scanOf) };
    case 'index': {
      const scan = {
        stage: 'IXSCAN',
        ...named(plan.index),
        isMultiKey: plan.index.multikey !== 0,
        direction: plan.backwards ? 'backward' : 'forward',
      };
      const inputStage = plan.merged
        ? { stage: 'SORT_MERGE', inputStages: plan.ranges.map(() => ({ ...scan, ranges: 1 })) }
        : { ...scan, ranges: plan.ranges.length };
      return { stage: 'FETCH', inputStage };
    }
  }
}

function named({ spec }: Index): Stage {
  return { keyPattern: spec.key, indexName: spec.name };
}
