import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@voice/shared/clock/clock';
import { startTestControlPlane, type TestControlPlane } from './control-plane.js';
import { ScriptedCarrier } from './scripted-carrier.js';
import { ScriptedWorker } from './scripted-worker.js';
import { startTestStore, type TestStore } from './store.js';

/** A control plane with what calls need: a store, and a carrier and a media worker that do what the test says. */
export interface TestInstallation {
  readonly store: TestStore;
  readonly carrier: ScriptedCarrier;
  readonly plane: TestControlPlane;
  readonly worker: ScriptedWorker;
  /** Where the control plane keeps recordings. */
  readonly dataDir: string;
  /** Closes all of it: what `beforeAll` gives back. */
  readonly close: () => Promise<void>;
}

interface TestInstallationOptions {
  /** Adds to or replaces the control plane's environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** How many calls the worker takes. */
  readonly capacity?: number;
  /** Whether the carrier serves production keys, too. */
  readonly production?: boolean;
}

/** Starts an installation. Its worker is known to the control plane from its first heartbeat on. */
export async function startTestInstallation(
  options: TestInstallationOptions = {},
): Promise<TestInstallation> {
  const store = await startTestStore();
  const carrier = await ScriptedCarrier.start();
  const dataDir = await mkdtemp(join(tmpdir(), 'installation-test-'));
  const plane = await startTestControlPlane(store.uri, {
    clock: options.clock,
    env: {
      ...carrier.env,
      ...(options.production ? carrier.productionEnv : {}),
      DATA_DIR: dataDir,
      ...options.env,
    },
  });
  const secret = plane.platform.config.internalSecret;
  const worker = await ScriptedWorker.start({ id: 'worker-1', secret, capacity: options.capacity });
  const close = async () => {
    await plane.close();
    await worker.close();
    await carrier.close();
    await store.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { store, carrier, plane, worker, dataDir, close };
}

/** Creates an agent; its id. */
export async function createAgent(
  plane: TestControlPlane,
  key: string,
  settings: object = {},
): Promise<string> {
  const body = { name: 'Ann', system_prompt: 'You call.', ...settings };
  const { status, json, text } = await plane.request('POST', '/api/v1/agents', { key, body });
  if (status !== 201) throw new Error(`no agent: ${status} ${text}`);
  return (json as { id: string }).id;
}
