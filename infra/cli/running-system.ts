import type { InternalAccess } from '../installation/api-client.js';
import { readSecrets } from '../installation/kept-secrets.js';
import { stillRuns } from '../installation/process-identity.js';
import { readRuntime } from '../installation/runtime-file.js';
import type { CliConfig } from './config.js';

/** A system that runs, with the operator's access to it. */
export interface RunningSystem extends InternalAccess {
  readonly apiUrl: string;
}

/** The simulated carrier of the running system, with the account that may ask it for things. */
export interface RunningCarrier {
  readonly url: string;
  readonly accountSid: string;
  readonly authToken: string;
}

const NOT_RUNNING = (dataDir: string) =>
  `Nothing runs on ${dataDir}. Start the system in another terminal with “npm start” and try again (with its DATA_DIR, if it has one of its own).`;

/** Finds the system to talk to: the one that `API_URL` names, else the one that runs on the data directory. */
export function findSystem(config: CliConfig): RunningSystem {
  if (config.apiUrl) {
    if (!config.internalSecret) {
      throw new Error('API_URL is set, so INTERNAL_SECRET must be, too: it signs the request.');
    }
    if (!config.internalUrl) {
      throw new Error(
        'API_URL is set, so INTERNAL_URL must be, too: the address of the control plane’s INTERNAL_PORT.',
      );
    }
    const { apiUrl, internalUrl, internalSecret } = config;
    return { apiUrl, internalUrl, internalSecret };
  }
  const runtime = readRuntime(config.dataDir);
  const controlPlane = runtime?.processes.find(({ role }) => role === 'control-plane');
  const secret = config.internalSecret ?? readSecrets(config.dataDir)?.internal_secret;
  if (!runtime || !secret || (controlPlane?.birth && !stillRuns(controlPlane))) {
    throw new Error(NOT_RUNNING(config.dataDir));
  }
  return { apiUrl: runtime.api_url, internalUrl: runtime.internal_url, internalSecret: secret };
}

/** Finds the carrier that the launcher runs on the data directory; one that runs elsewhere cannot be asked. */
export function findCarrier(config: CliConfig): RunningCarrier {
  const carrier = readRuntime(config.dataDir)?.processes.find(({ role }) => role === 'carrier');
  const secrets = readSecrets(config.dataDir);
  if (config.apiUrl || !carrier || !secrets) {
    throw new Error(
      '--inbound needs the simulated carrier that “npm start” runs on this machine (with its DATA_DIR, and no API_URL).',
    );
  }
  return {
    url: `http://127.0.0.1:${carrier.port}`,
    accountSid: secrets.simulated_carrier_account_sid,
    authToken: secrets.simulated_carrier_auth_token,
  };
}
