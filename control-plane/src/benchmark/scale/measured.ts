import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runningStoreUri } from '@voice/shared/embedded-store/access';
import { BuiltProgram } from '@voice/shared/process/built-program';
import { testConfig } from '../../testing/control-plane.js';
import { Counterparts } from '../counterparts.js';
import { type LargestTenant, type ScaleOptions, seed } from './seed.js';

/** A filled store with an API in a process of its own. */
export interface Installation {
  readonly calls: number;
  readonly tenant: LargestTenant;
  /** Sends a request; how long the answer took, in ms. Throws where the answer is not what it should be. */
  ask(method: 'GET' | 'POST', path: string, body?: string): Promise<{ ms: number; json: unknown }>;
  close(): Promise<void>;
}

/** Waits until the files of a directory are on the disk, which would be busy with them while answers are measured. */
async function reachDisk(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = await open(join(directory, entry.name), 'r+');
    await file.sync();
    await file.close();
  }
}

/** Fills a store of its own and starts an API on it. */
export async function install(
  options: ScaleOptions,
  onProgress: (text: string) => void,
): Promise<Installation> {
  const directory = await mkdtemp(join(tmpdir(), 'scale-benchmark-'));
  const store = await BuiltProgram.start('infra/dist/embedded-store/main.js', [
    '--port',
    '0',
    '--data',
    directory,
  ]);
  const uri = runningStoreUri({ port: store.port, dataDir: directory, database: 'voice' });
  const tenant = await seed(uri, options, onProgress);
  await reachDisk(directory);
  const { internalSecret } = testConfig(uri);
  const counterparts = new Counterparts(internalSecret);
  await counterparts.listen();
  const api = await BuiltProgram.start('control-plane/dist/main.js', [], {
    PORT: '0',
    MONGODB_URI: uri,
    DATA_DIR: directory,
    INTERNAL_SECRET: internalSecret,
    SECRETS_KEY: 'a key for secrets at rest, for tests',
    SIMULATED_CARRIER_URL: counterparts.url,
    SIMULATED_CARRIER_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
    SIMULATED_CARRIER_AUTH_TOKEN: randomBytes(16).toString('hex'),
    RATE_LIMIT_DEFAULT: '1000000',
    RATE_LIMIT_DIAL: '1000000',
  });
  await counterparts.report(`http://127.0.0.1:${api.internalPort}`);
  return {
    calls: options.calls,
    tenant,
    async ask(method, path, body) {
      const from = performance.now();
      const answer = await fetch(`http://127.0.0.1:${api.port}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${tenant.key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body }),
      });
      const text = await answer.text();
      const ms = performance.now() - from;
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return { ms, json: JSON.parse(text) as unknown };
    },
    async close() {
      await api.stop();
      counterparts.close();
      await store.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
