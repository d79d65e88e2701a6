import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runningStoreUri, socketPath } from '@voice/shared/embedded-store/access';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keepPassword } from '../access/password.js';
import { type EmbeddedStore, startEmbeddedStore } from '../server.js';

let directory: string;
const stores: EmbeddedStore[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'store-socket-'));
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  rmSync(directory, { recursive: true });
});

async function start(dataDir = directory, socket = true): Promise<EmbeddedStore> {
  mkdirSync(dataDir, { recursive: true });
  const password = keepPassword(dataDir);
  const store = await startEmbeddedStore({ port: 0, dataDir, socket, password });
  stores.push(store);
  return store;
}

/** Writes by the address that processes of this machine are given, and reads it again; returns that address. */
async function writeAndRead(store: EmbeddedStore, dataDir = directory): Promise<string> {
  const uri = runningStoreUri({ port: store.port, dataDir, database: 'voice' });
  const client = await MongoClient.connect(uri);
  const things = client.db().collection('things');
  await things.insertOne({ name: 'a' });
  expect(await things.countDocuments({ name: 'a' })).toBe(1);
  await client.close();
  return uri;
}

describe('the Unix socket of an embedded store', () => {
  it('serves those who sign in, and belongs to this user alone', async () => {
    const store = await start();
    expect(statSync(socketPath(directory)).mode & 0o777).toBe(0o600);
    expect(await writeAndRead(store)).toContain('store.sock');
    const stranger = new MongoClient(`mongodb://${encodeURIComponent(socketPath(directory))}/voice`);
    await expect(stranger.db().collection('things').findOne()).rejects.toThrow(/authentication/);
    await stranger.close();
  });

  it('is served beside the port, and goes when the store closes', async () => {
    const store = await start();
    const byPort = new MongoClient(store.uri);
    expect(await byPort.db().command({ ping: 1 })).toMatchObject({ ok: 1 });
    await byPort.close();
    await store.close();
    expect(existsSync(socketPath(directory))).toBe(false);
  });

  it('takes the place of what a killed store has left', async () => {
    writeFileSync(socketPath(directory), '');
    expect(await writeAndRead(await start())).toContain('store.sock');
  });

  it('is not there where its path is longer than the system allows: then the port serves', async () => {
    const long = join(directory, 'x'.repeat(100));
    mkdirSync(long);
    writeFileSync(socketPath(long), '');
    const store = await start(long);
    expect(store.socket).toBeUndefined();
    expect(await writeAndRead(store, long)).toContain(`127.0.0.1:${store.port}`);
  });

  it('is not there where it is not wanted, also after a store that had one was killed', async () => {
    writeFileSync(socketPath(directory), '');
    const store = await start(directory, false);
    expect(await writeAndRead(store)).toContain(`127.0.0.1:${store.port}`);
  });

  it('is not that of a running store when a second one is refused', async () => {
    const store = await start();
    await expect(start()).rejects.toThrow(/locked/);
    expect(await writeAndRead(store)).toContain('store.sock');
  });
});
