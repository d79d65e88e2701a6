import { parseArgs } from 'node:util';
import { systemClock } from '@voice/shared/clock/clock';
import { createLog, type Log } from '@voice/shared/log/log';
import { NO_TRACING } from '@voice/shared/tracing/tracer';
import type { Connection } from 'mongoose';
import { Registry } from 'prom-client';
import { compose } from './composition.js';
import { type Config, configFromEnvironment } from './config.js';
import { CursorCodec } from './platform/http/pagination.js';
import { dryRun } from './platform/migrations/dry-run.js';
import { migrate } from './platform/migrations/migrate.js';
import { shardCollections } from './platform/migrations/sharding.js';
import { SecretBox } from './platform/secrets/secret-box.js';
import { connectStore } from './platform/store/connection.js';
import { startFailure } from './start-failure.js';

/** Brings the store up to date as a start does, or says what that would do. It serves nobody. */
async function main(): Promise<void> {
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({ options: { 'dry-run': flag, shard: flag } });
  let config: Config | undefined;
  try {
    config = configFromEnvironment();
    const log = createLog({ name: 'migrate', level: config.logLevel, namesTraces: false });
    const store = await connectStore(config.mongodbUri);
    const nowhere = () => 'http://127.0.0.1:1';
    compose({
      config,
      clock: systemClock,
      log,
      store,
      metrics: new Registry(),
      tracer: NO_TRACING,
      secrets: new SecretBox(config.secretsKeys),
      cursors: new CursorCodec(config.secretsKeys),
      publicUrl: nowhere,
      internalUrl: nowhere,
    });
    try {
      process.stdout.write(
        `${await (values['dry-run'] ? planned(store) : migrated(store, log, values.shard))}\n`,
      );
    } finally {
      await store.close();
    }
  } catch (error) {
    process.stderr.write(`migrate: ${startFailure(error, config)}\n`);
    process.exitCode = 1;
  }
}

async function planned(store: Connection): Promise<string> {
  const { text, isUpToDate } = await dryRun(store);
  return `${text}\n${isUpToDate ? 'The store is up to date.' : 'Nothing was changed.'}`;
}

async function migrated(store: Connection, log: Log, shard: boolean): Promise<string> {
  await migrate({ store, clock: systemClock, log });
  if (shard) await shardCollections(store);
  const { text, isUpToDate } = await dryRun(store);
  return isUpToDate
    ? 'The store is up to date.'
    : `${text}\nWhat a newer version has changed stays as it is.`;
}

await main();
