import { readSecrets } from '../launcher/kept-secrets.js';
import { stillRuns } from '../launcher/process-identity.js';
import { readRuntime } from '../launcher/runtime-file.js';
import type { CliConfig } from './config.js';

export interface RunningSystem {
  readonly apiUrl: string;
  readonly internalSecret: string;
}

const NOT_RUNNING = (dataDir: string) =>
  `Nothing runs on ${dataDir}. Start the system in another terminal with “npm start” and try again (with its DATA_DIR, if it has one of its own).`;

/** The system to talk to: the one that `API_URL` names, else the one that runs on the data directory. */
export function findSystem(config: CliConfig): RunningSystem {
  if (config.apiUrl) {
    if (!config.internalSecret) {
      throw new Error('API_URL is set, so INTERNAL_SECRET must be, too: it signs the request.');
    }
    return { apiUrl: config.apiUrl, internalSecret: config.internalSecret };
  }
  const runtime = readRuntime(config.dataDir);
  const controlPlane = runtime?.processes.find(({ role }) => role === 'control-plane');
  const secret = config.internalSecret ?? readSecrets(config.dataDir)?.internal_secret;
  if (!runtime || !secret || (controlPlane?.birth && !stillRuns(controlPlane))) {
    throw new Error(NOT_RUNNING(config.dataDir));
  }
  return { apiUrl: runtime.api_url, internalSecret: secret };
}
