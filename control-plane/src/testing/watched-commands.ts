import type { Connection, mongo } from 'mongoose';

/** A command that finds documents, as the driver sent it. */
export interface SentQuery {
  readonly database: string;
  readonly command: mongo.Document;
  readonly name: string;
  readonly collection: string;
}

const FINDS: ReadonlySet<string> = new Set([
  'find',
  'aggregate',
  'count',
  'distinct',
  'findAndModify',
  'update',
  'delete',
]);

/** Says that the driver reports its commands: to be part of the URI that the watched connection is made with. */
export const MONITORED = 'monitorCommands=true';

/** Calls back for each query that a connection sends, by the driver's command monitoring. */
export function watchQueries(connection: Connection, onSent: (sent: SentQuery) => void): void {
  const client = connection.getClient();
  if (!client.options.monitorCommands) throw new Error(`the URI has to say ${MONITORED}`);
  client.on('commandStarted', ({ commandName, command, databaseName }) => {
    if (!FINDS.has(commandName)) return;
    onSent({
      database: databaseName,
      command,
      name: commandName,
      collection: String(command[commandName]),
    });
  });
}

/** Gathers the queries that a connection sends. */
export class WatchedCommands {
  readonly #queries: SentQuery[] = [];

  constructor(connection: Connection) {
    watchQueries(connection, (sent) => this.#queries.push({ ...sent, command: { ...sent.command } }));
  }

  /** Returns what was sent since it was asked last. */
  take(): SentQuery[] {
    return this.#queries.splice(0);
  }
}

/** How a query found its documents. */
export interface QueryReads {
  /** The stages of the plan, outermost first. */
  readonly stages: readonly string[];
  readonly returned: number;
  readonly keys: number;
  readonly documents: number;
}

/** What `explain` takes of each command; the rest is the session's, or says how the answer comes. */
const EXPLAINED: Readonly<Record<string, readonly string[]>> = {
  find: ['filter', 'sort', 'skip', 'limit', 'projection', 'hint'],
  aggregate: ['pipeline', 'cursor', 'hint'],
  count: ['query', 'skip', 'limit', 'hint'],
  distinct: ['key', 'query'],
  findAndModify: ['query', 'sort', 'update', 'remove', 'new', 'upsert', 'fields'],
};

/** Explains a sent command; one for each statement of a write. */
export async function explainQuery(connection: Connection, sent: SentQuery): Promise<QueryReads[]> {
  const db = connection.getClient().db(sent.database);
  const reads: QueryReads[] = [];
  for (const command of explainable(sent)) {
    const explained = await db.command({ explain: command, verbosity: 'executionStats' });
    // MongoDB explains the beginning of a pipeline by itself.
    const { queryPlanner, executionStats: stats } =
      (explained.stages as mongo.Document[] | undefined)?.find(({ $cursor }) => $cursor)?.$cursor ??
      explained;
    reads.push({
      stages: stagesOf(queryPlanner.winningPlan),
      returned: stats?.nReturned ?? 0,
      keys: stats?.totalKeysExamined ?? 0,
      documents: stats?.totalDocsExamined ?? 0,
    });
  }
  return reads;
}

function explainable({ name, collection, command }: SentQuery): mongo.Document[] {
  if (name === 'update' || name === 'delete') {
    const field = `${name}s`;
    return (command[field] as mongo.Document[]).map((statement) => ({
      [name]: collection,
      [field]: [statement],
    }));
  }
  const kept = (EXPLAINED[name] ?? []).filter((field) => command[field] !== undefined);
  return [{ [name]: collection, ...Object.fromEntries(kept.map((field) => [field, command[field]])) }];
}

function stagesOf(planned: mongo.Document): string[] {
  // MongoDB's second engine says more of its plan than the plan.
  const plan: mongo.Document = planned.queryPlan ?? planned;
  const ofShards = (plan.shards as mongo.Document[] | undefined)?.map(({ winningPlan }) => winningPlan);
  const inner: mongo.Document[] = ofShards ?? plan.inputStages ?? (plan.inputStage ? [plan.inputStage] : []);
  return [String(plan.stage), ...new Set(inner.flatMap(stagesOf))];
}
