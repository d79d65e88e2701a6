import type { Connection, mongo } from 'mongoose';
import { presentIndexes } from '../store/ensure-indexes.js';
import { declaredIndexes, describeIndex, indexWork } from '../store/index-differences.js';
import { presentOf } from './migrate.js';
import type { DocumentChange, Migration } from './migration.js';
import { readSteps, type StepRow } from './migration-rows.js';
import { MIGRATIONS } from './migrations.js';

/** Outdated documents are counted up to here. */
const MOST_COUNTED = 100_000;

interface DryRun {
  /** A paragraph a step and one of the indexes. */
  readonly text: string;
  /** Whether a migration would change anything. */
  readonly isUpToDate: boolean;
}

/** Says what a migration would do, by reading alone. */
export async function dryRun(
  store: Connection,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<DryRun> {
  const known = await readSteps(store);
  const steps: string[] = [];
  for (const step of migrations) steps.push(await describeStep(store, step, known.get(step.number)));
  const indexes = await describeIndexes(store);
  const isUpToDate = indexes.length === 0 && migrations.every(({ number }) => known.get(number)?.done_at);
  const lines = indexes.length === 0 ? ['  are as declared.'] : indexes;
  return { text: [...steps, ['Indexes', ...lines].join('\n')].join('\n'), isUpToDate };
}

async function describeStep(store: Connection, step: Migration, row: StepRow | undefined): Promise<string> {
  const title = `Step ${step.number} ${step.name}: ${step.summary}`;
  if (row?.done_at) return `${title}\n  was done on ${row.done_at.toISOString()}.`;
  const changes = await Promise.all((step.changes ?? []).map((change) => describeChange(store, change)));
  const retired = (await presentOf(store, step.retires ?? [])).flatMap(({ collection, names }) =>
    names.map((name) => `  would drop the index ${collection}.${name}.`),
  );
  const begun = row ? [`  was begun on ${row.started_at.toISOString()}, and would be gone on with.`] : [];
  const done = [...changes.flat(), ...retired];
  return [title, ...begun, ...(done.length === 0 ? ['  would find nothing to change.'] : done)].join('\n');
}

async function describeChange(
  store: Connection,
  { collection, outdated, update }: DocumentChange,
): Promise<readonly string[]> {
  const rows = store.collection<mongo.Document>(collection);
  const count = await rows.countDocuments(outdated, { limit: MOST_COUNTED + 1 });
  if (count === 0) return [];
  const shown = count > MOST_COUNTED ? `more than ${MOST_COUNTED}` : String(count);
  return [`  would change ${shown} documents of ${collection}: ${JSON.stringify(update)}.`];
}

async function describeIndexes(store: Connection): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const [collection, declared] of declaredIndexes(store)) {
    const { missing, inTheWay } = indexWork(declared, await presentIndexes(store, collection));
    for (const spec of inTheWay) {
      lines.push(`  would drop ${collection}.${spec.name}, which is in the way: ${describeIndex(spec)}.`);
    }
    for (const spec of missing) {
      lines.push(`  would build ${collection}.${spec.name}: ${describeIndex(spec)}.`);
    }
  }
  return lines;
}
