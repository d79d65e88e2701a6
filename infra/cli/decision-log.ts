import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ApiError } from '../installation/api-client.js';

const CALL_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Where a decision log was found: a file, or its text. */
export type FoundDecisionLog =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'text'; readonly text: string };

export interface DecisionLogSearch {
  readonly dataDir: string;
  /** Asks the control plane for the log; throws where none can be asked. */
  readonly fetch: (callId: string) => Promise<string>;
}

/**
 * Finds a decision log by its path or its call: on this machine's disk, else at the control plane.
 * @throws Error that says what is wrong and what to do
 */
export async function findDecisionLog(
  wanted: string,
  { dataDir, fetch }: DecisionLogSearch,
): Promise<FoundDecisionLog> {
  if (existsSync(wanted)) return { kind: 'file', path: wanted };
  const callId = wanted.toLowerCase();
  if (!CALL_ID.test(callId)) {
    throw new Error(`${wanted} is neither a file nor the id of a call (npm run replay -- --help).`);
  }
  const path = pathOnDisk(dataDir, callId);
  if (path !== undefined) return { kind: 'file', path };
  try {
    return { kind: 'text', text: await fetch(callId) };
  } catch (error) {
    throw new Error(refusal(callId, dataDir, error), { cause: error });
  }
}

/** By tenant where the control plane keeps it; by worker while the call is live, and until it is uploaded. */
function pathOnDisk(dataDir: string, callId: string): string | undefined {
  const stored = foldersIn(join(dataDir, 'decision-logs')).map((tenant) => join(tenant, `${callId}.ndjson`));
  const spooled = foldersIn(join(dataDir, 'workers')).flatMap((worker) =>
    ['ready', 'in-progress'].map((folder) => join(worker, folder, `${callId}.decisions.ndjson`)),
  );
  return [...stored, ...spooled].find((path) => existsSync(path));
}

function foldersIn(path: string): string[] {
  if (!existsSync(path)) return [];
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
}

function refusal(callId: string, dataDir: string, error: unknown): string {
  if (!(error instanceof ApiError)) {
    return `There is no decision log of the call under ${dataDir}, and the control plane cannot be asked. ${
      error instanceof Error ? error.message : String(error)
    }`;
  }
  switch (error.code) {
    case 'call_not_found':
      return `There is no call ${callId}.`;
    case 'decision_log_not_found':
      return `No decision log of call ${callId} is kept: it had no conversation, or is not over yet.`;
    default:
      return error.status === 401
        ? 'The control plane refused INTERNAL_SECRET. It must be that of the installation.'
        : error.message;
  }
}
