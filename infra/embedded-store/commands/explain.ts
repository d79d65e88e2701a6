import type { Encodable } from '../bson/encode.js';
import { isDoc } from '../bson/values.js';
import { CommandError, codes, notSupported } from '../errors/errors.js';
import { type Plan, planQuery } from '../planning/plan.js';
import { Arguments } from './arguments.js';
import type { Command } from './command.js';
import { newCounters, readQuery, selected } from './find.js';

/** `explain` of a find: the plan, and what running it reads. Other commands are refused. */
export const explain: Command = ({ args, database, checkpoint }, { store, clock }) => {
  const inner = args.document('explain');
  const verbosity = args.optionalString('verbosity') ?? 'allPlansExecution';
  args.done();
  const name = inner.get('find');
  if (!isDoc(inner) || typeof name !== 'string')
    throw notSupported(`explain of ${inner.keys().next().value}`);
  const find = new Arguments('find', inner);
  find.ignore('find', 'batchSize', 'singleBatch', 'hint');
  const query = readQuery(find, clock.now());
  find.done();
  const collection = store.collection(database, name);
  if (collection === undefined) {
    return { queryPlanner: { namespace: `${database}.${name}`, winningPlan: { stage: 'EOF' } } };
  }
  const plan = planQuery(collection, query.filter, query.sort);
  const queryPlanner = { namespace: collection.namespace, winningPlan: describe(plan), rejectedPlans: [] };
  if (verbosity === 'queryPlanner') return { queryPlanner };
  if (verbosity !== 'executionStats' && verbosity !== 'allPlansExecution') {
    throw new CommandError(codes.BadValue, `unknown verbosity '${verbosity}'`);
  }
  const counters = newCounters();
  let nReturned = 0;
  for (const _ of selected(collection, query, counters, checkpoint, plan)) nReturned++;
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

function describe(plan: Plan): { [name: string]: Encodable } {
  const source = scanOf(plan);
  return plan.sorted ? source : { stage: 'SORT', inputStage: source };
}

function scanOf(plan: Plan): { [name: string]: Encodable } {
  switch (plan.kind) {
    case 'collection':
      return { stage: 'COLLSCAN', direction: 'forward' };
    case 'union':
      return { stage: 'OR', inputStages: plan.plans.map(scanOf) };
    case 'index':
      return {
        stage: 'FETCH',
        inputStage: {
          stage: 'IXSCAN',
          keyPattern: plan.index.spec.key,
          indexName: plan.index.spec.name,
          isMultiKey: plan.index.multikey !== 0,
          direction: plan.backwards ? 'backward' : 'forward',
          ranges: plan.ranges.length,
        },
      };
  }
}
