import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runningStoreUri } from '@voice/shared/embedded-store/access';
import { runProgram } from '@voice/shared/process/run-program';
import { readRuntime } from '../installation/runtime-file.js';
import { type CliConfig, readConfig } from './config.js';

const USAGE = `Usage: npm run migrate [-- --dry-run | --shard]

Brings the store up to date: numbered steps that change documents and drop indexes, and the indexes that this version
declares. Every control plane does the same when it starts; one replica at a time, and what was cut short is gone on
with. Indexes of a large store can be built by this before an update, while the version before it runs.

  --dry-run   says what would be done, by reading alone
  --shard     shards the collections that grow with calls as well, by tenant: on a sharded cluster, once

Environment: MONGODB_URI, or DATA_DIR (./data) of a running system that keeps its data in the embedded store.
`;

const PROGRAM = fileURLToPath(new URL('../../../control-plane/dist/migrate.js', import.meta.url));

/** Returns the address of the store: the one that is named, else that of the system that runs on the directory. */
function storeOf({ mongodbUri, dataDir }: CliConfig): string {
  if (mongodbUri !== undefined) return mongodbUri;
  const store = readRuntime(dataDir)?.processes.find(({ role }) => role === 'store');
  if (!store) {
    throw new Error(
      `No store runs on ${dataDir}. Set MONGODB_URI, or start the system in another terminal with “npm start”, which migrates by itself.`,
    );
  }
  return runningStoreUri({ port: store.port, dataDir: join(dataDir, 'store'), database: 'voice' });
}

runProgram(async () => {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      'dry-run': { type: 'boolean', default: false },
      shard: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const flags = [...(values['dry-run'] ? ['--dry-run'] : []), ...(values.shard ? ['--shard'] : [])];
  // Nothing is sealed or signed by it: what the process asks for need not be the installation's own.
  const unused = randomBytes(32).toString('hex');
  const child = spawn(process.execPath, [PROGRAM, ...flags], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      MONGODB_URI: storeOf(readConfig()),
      INTERNAL_SECRET: unused,
      SECRETS_KEY: unused,
    },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
});
