import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { passwordPath, storeUri } from '@voice/shared/embedded-store/access';
import { MongoClient, MongoServerError } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedStore, startEmbeddedStore } from '../server.js';
import { keepPassword } from './password.js';

let dataDir: string;
let store: EmbeddedStore;
let password: string;
const clients: MongoClient[] = [];

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'store-access-'));
  password = keepPassword(dataDir);
  store = await startEmbeddedStore({ port: 0, dataDir, password });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await store?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function connect(uri: string): Promise<MongoClient> {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 2000 });
  clients.push(client);
  return client.connect();
}
const right = (options = '') => `${storeUri({ port: store.port, password, database: 'voice' })}${options}`;
async function refusal(operation: Promise<unknown>): Promise<number | string | undefined> {
  try {
    await operation;
    return 'none';
  } catch (error) {
    return error instanceof MongoServerError ? error.code : String(error);
  }
}

describe('a store with a password', () => {
  it.each(['', '?authMechanism=SCRAM-SHA-256', '?authSource=admin'])(
    'serves a client that signs in (%s)',
    async (options) => {
      const client = await connect(right(options));
      const things = client.db('voice').collection<{ _id: string }>('things');
      await things.replaceOne({ _id: 'a' }, {}, { upsert: true });
      expect(await things.countDocuments()).toBe(1);
    },
  );

  it('lets nobody read, write or list without one, by any command but the handshake', async () => {
    const client = await connect(store.uri);
    const db = client.db('voice');
    expect(await db.command({ ping: 1 })).toMatchObject({ ok: 1 });
    const refused = [
      db.collection('things').find().toArray(),
      db.collection('things').insertOne({}),
      db.collection('things').drop(),
      db.listCollections().toArray(),
      db.admin().listDatabases(),
      db.command({ aggregate: 'things', pipeline: [], cursor: {} }),
      db.command({ getMore: 1n, collection: 'things' }),
      db.command({ noSuchCommand: 1 }),
    ];
    expect(await Promise.all(refused.map(refusal))).toEqual(refused.map(() => 13));
  });

  it.each([
    ['a wrong password', () => right().replace(password, 'wrong')],
    ['another user', () => right().replace('//voice:', '//admin:')],
  ])('refuses %s', async (_what, uri) => {
    expect(await refusal(connect(uri()))).toBe(18);
  });

  it('refuses a mechanism that it does not have', async () => {
    expect(await refusal(connect(right('?authMechanism=SCRAM-SHA-1')))).not.toBe('none');
    expect(await refusal(connect(right('?authMechanism=PLAIN')))).not.toBe('none');
  });

  it('takes no proof a second time, on the same connection or another', async () => {
    const client = await connect(store.uri);
    const start = { saslStart: 1, mechanism: 'SCRAM-SHA-256', payload: Buffer.from('n,,n=voice,r=abc') };
    const admin = client.db('admin');
    const begun = await admin.command(start);
    const nonce = /^r=([^,]+)/.exec(begun.payload.toString('utf8'))?.[1];
    expect(nonce).toMatch(/^abc.{20}/);
    const forged = Buffer.from(`c=biws,r=${nonce},p=${Buffer.alloc(32).toString('base64')}`);
    const proceed = { saslContinue: 1, conversationId: 1, payload: forged };
    expect(await refusal(admin.command(proceed))).toBe(18);
    expect(await refusal(admin.command({ ...proceed, payload: Buffer.alloc(0) }))).toBe(18);
    expect(await refusal(admin.command({ find: 'things' }))).toBe(13);
  });
});

describe('the password', () => {
  it('is made once, long enough not to be guessed, and kept for its owner alone', () => {
    expect(password).toMatch(/^[\w-]{32}$/);
    expect(keepPassword(dataDir)).toBe(password);
    expect(readFileSync(passwordPath(dataDir), 'utf8').trim()).toBe(password);
    expect(statSync(passwordPath(dataDir)).mode & 0o777).toBe(0o600);
  });

  it('is another one for another directory', () => {
    const other = mkdtempSync(join(tmpdir(), 'store-access-'));
    expect(keepPassword(other)).not.toBe(password);
    rmSync(other, { recursive: true });
  });
});
