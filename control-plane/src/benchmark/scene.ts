import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoAgent } from '@voice/shared/contracts/demo-agent';
import { SANDBOX_CALLER_ID, TEST_NUMBERS } from '@voice/shared/contracts/test-numbers';
import { runningStoreUri } from '@voice/shared/embedded-store/access';
import { newId } from '@voice/shared/ids/ids';
import { interPlaneAuthorization } from '@voice/shared/inter-plane/token';
import { BuiltProgram } from '@voice/shared/process/built-program';
import { z } from 'zod';
import { type CallDocument, type CallModel, callModel } from '../calls/record/model.js';
import { connectStore } from '../platform/store/connection.js';
import { rowsOf } from '../platform/store/rows-of.js';
import { Counterparts } from './counterparts.js';

/** Calls that the tenant has whose calls are read. */
const CALLS = 5000;
const FILLED_AT_ONCE = 100;
/** Tenants that place calls: each may have a limited number of live ones. */
const CALLING_TENANTS = 8;

/** The bench's own connection is no part of what is measured: it waits for a store on a busy machine. */
const PATIENT = '?connectTimeoutMS=20000&serverSelectionTimeoutMS=20000';

/** A queued call is dialed within a minute or ended. */
const DIALED_WITHIN_MS = 90_000;

/** A tenant that places calls. */
interface Caller {
  readonly key: string;
  /** Body of `POST /api/v1/calls`. */
  readonly body: string;
}

/** A server that is measured. */
export type Server = Pick<BuiltProgram, 'pid' | 'port' | 'threadTimeMs'>;

export interface Scene {
  readonly api: Server;
  readonly bare: Server;
  /** Reads the calls `callIds`. */
  readonly readerKey: string;
  readonly callIds: readonly string[];
  readonly callers: readonly Caller[];
  /** A call document as the API stores it, under a new id. */
  newDocument(): CallDocument;
  /** Removes the calls that a round has placed, and lets their dispatching come to its end. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

class Api {
  constructor(
    private readonly url: string,
    private readonly internalUrl: string,
    private readonly secret: string,
  ) {}

  newKey(tenant: string): Promise<{ key: string; tenant_id: string }> {
    const path = '/internal/keys';
    const body = JSON.stringify({ name: 'benchmark', sandbox: true, tenant });
    const authorization = interPlaneAuthorization({
      secret: this.secret,
      method: 'POST',
      path,
      body,
      now: Date.now(),
    });
    const answer = z.object({ key: z.string(), tenant_id: z.string() });
    return this.#post(answer, this.internalUrl + path, authorization, body);
  }

  post<S extends z.ZodType>(schema: S, path: string, key: string, body: unknown): Promise<z.output<S>> {
    return this.#post(schema, this.url + path, `Bearer ${key}`, JSON.stringify(body));
  }

  async #post<S extends z.ZodType>(schema: S, url: string, authorization: string, body: string) {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body,
    });
    if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
    return schema.parse(await answer.json());
  }
}

const created = z.object({ id: z.string() });

async function newCaller(api: Api, tenant: string): Promise<Caller & { readonly tenantId: string }> {
  const { key, tenant_id } = await api.newKey(tenant);
  const agent = await api.post(created, '/api/v1/agents', key, demoAgent);
  const body = JSON.stringify({
    agent_id: agent.id,
    from_number: SANDBOX_CALLER_ID,
    to_number: TEST_NUMBERS[0]!.number,
  });
  return { key, body, tenantId: tenant_id };
}

/** Copies of one real call, as old as each other by a second; few at a time, for a machine that is busy. */
async function fill(calls: CallModel, template: CallDocument): Promise<string[]> {
  const rows = rowsOf<CallDocument>(calls);
  const ids: string[] = [];
  for (let from = 0; from < CALLS; from += FILLED_AT_ONCE) {
    const batch = Array.from({ length: FILLED_AT_ONCE }, (_, i) => {
      const at = new Date(template.created_at.getTime() - (from + i) * 1000);
      return { ...template, _id: newId(), created_at: at, status: 'COMPLETED' as const, ended_at: at };
    });
    ids.push(...batch.map(({ _id }) => _id));
    await rows.insertMany(batch);
  }
  return ids;
}

/** Starts store, API and bare server, each in a process of its own, with the same calls for both. */
export async function setScene(): Promise<Scene> {
  const directory = await mkdtemp(join(tmpdir(), 'api-benchmark-'));
  const secret = randomBytes(32).toString('hex');
  const counterparts = new Counterparts(secret);
  await counterparts.listen();
  const store = await BuiltProgram.start('infra/dist/embedded-store/main.js', [
    '--port',
    '0',
    '--data',
    directory,
  ]);
  const uri = runningStoreUri({ port: store.port, dataDir: directory, database: 'voice' });
  const api = await BuiltProgram.start('control-plane/dist/main.js', [], {
    PORT: '0',
    MONGODB_URI: uri,
    DATA_DIR: directory,
    INTERNAL_SECRET: secret,
    SECRETS_KEY: randomBytes(32).toString('hex'),
    SIMULATED_CARRIER_URL: counterparts.url,
    SIMULATED_CARRIER_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
    SIMULATED_CARRIER_AUTH_TOKEN: randomBytes(16).toString('hex'),
    RATE_LIMIT_DEFAULT: '1000000',
    RATE_LIMIT_DIAL: '1000000',
  });
  const url = `http://127.0.0.1:${api.port}`;
  const internalUrl = `http://127.0.0.1:${api.internalPort}`;
  await counterparts.report(internalUrl);
  const client = new Api(url, internalUrl, secret);

  const reader = await newCaller(client, 'reader');
  const { id } = await client.post(created, '/api/v1/calls', reader.key, JSON.parse(reader.body));
  const connection = await connectStore(`${uri}${PATIENT}`);
  const calls = callModel(connection);
  const template = await calls.findOne({ _id: id }).orFail().lean<CallDocument>();
  const callIds = await fill(calls, template);
  const callers = await Promise.all(
    Array.from({ length: CALLING_TENANTS }, (_, n) => newCaller(client, `caller ${n}`)),
  );
  const bare = await BuiltProgram.start('control-plane/dist/benchmark/bare-server.js', [
    uri,
    reader.tenantId,
  ]);
  const callingTenants = callers.map(({ tenantId }) => tenantId);

  return {
    api,
    bare,
    readerKey: reader.key,
    callIds,
    callers,
    newDocument: () => ({ ...template, _id: newId(), tenant_id: callingTenants[0]! }),
    async clear() {
      const undialed = {
        tenant_id: { $in: callingTenants },
        status: 'QUEUED',
        dispatch_stage: 'waiting',
      } as const;
      const deadline = performance.now() + DIALED_WITHIN_MS;
      for (let left = Number.POSITIVE_INFINITY; left > 0; ) {
        left = await calls.countDocuments(undialed);
        if (left > 0 && performance.now() > deadline) {
          throw new Error(`${left} calls were not dialed within ${DIALED_WITHIN_MS / 1000} s`);
        }
        if (left > 0) await new Promise((resolve) => setTimeout(resolve, 50));
      }
      await calls.deleteMany({ tenant_id: { $in: callingTenants } });
      counterparts.forget();
    },
    async close() {
      await connection.close();
      await Promise.all([bare.stop(), api.stop()]);
      counterparts.close();
      await store.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
