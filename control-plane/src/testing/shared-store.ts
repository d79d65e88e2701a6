import { randomBytes } from 'node:crypto';
import { type AddressInfo, createConnection, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { type StoreProcess, startStoreProcess } from './store-process.js';

/** Names the address of a server that the tests are to use instead of a store that is started for them. */
const GIVEN = 'TEST_MONGODB_URI';
/** Names the port at which the test runner gives its workers the address of their store. */
const PORT = 'TEST_STORE_PORT';
const HOST = '127.0.0.1';

/** A store process that many test files use, each with a database of its own. */
export interface SharedStore {
  /** Returns its address, with user and password and of no database of a test; starts it where it does not run. */
  address(): Promise<string>;
}

/** Starts one when it is asked for, and another one when that has ended. It ends with this process. */
function startedWhenAsked(): SharedStore & { end(): Promise<void> } {
  let started: Promise<StoreProcess> | undefined;
  return {
    async end() {
      const process = await started?.catch(() => undefined);
      // What it holds is thrown away.
      await process?.end('SIGKILL');
    },
    async address() {
      started ??= startStoreProcess();
      const { child, address } = await started;
      if (child.exitCode === null && child.signalCode === null) return address;
      started = undefined;
      return this.address();
    },
  };
}

/** Returns the store of all workers of the test runner; without a runner, one of this process. */
export function sharedStore(): SharedStore {
  const given = process.env[GIVEN];
  if (given !== undefined) return { address: async () => given };
  const port = process.env[PORT];
  if (port === undefined) return startedWhenAsked();
  return {
    async address() {
      const answer = JSON.parse(await text(createConnection(Number(port), HOST))) as {
        address?: string;
        error?: string;
      };
      if (answer.address === undefined) throw new Error(answer.error);
      return answer.address;
    },
  };
}

/** Names the run: by it, its databases differ from those of others on the same server. */
export const RUN = 'TEST_STORE_RUN';

/** Says that the given server is the router of a sharded cluster. */
export const SHARDED = 'TEST_STORE_SHARDED';

async function shareServer(uri: string): Promise<() => Promise<void>> {
  // Only then: every run of the test runner would wait for the driver.
  const { dropDatabasesOf, examineServer } = await import('./given-server.js');
  const { sharded, warning } = await examineServer(uri);
  if (warning !== undefined) process.stderr.write(`!!! ${warning}\n`);
  const run = randomBytes(4).toString('hex');
  process.env[RUN] = run;
  if (sharded) process.env[SHARDED] = '1';
  return () => dropDatabasesOf(uri, run);
}

/**
 * Gives all workers of this test runner one store: starting it costs more than many a test. It starts when the first
 * test asks for it. Returns what ends it.
 */
export async function shareStore(): Promise<() => Promise<void>> {
  const given = process.env[GIVEN];
  if (given !== undefined) return shareServer(given);
  const store = startedWhenAsked();
  const server = createServer((asking) => {
    asking.on('error', () => {});
    store.address().then(
      (address) => asking.end(JSON.stringify({ address })),
      (error: unknown) => asking.end(JSON.stringify({ error: String(error) })),
    );
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, HOST, resolve));
  process.env[PORT] = String((server.address() as AddressInfo).port);
  return async () => {
    server.close();
    await store.end();
  };
}
