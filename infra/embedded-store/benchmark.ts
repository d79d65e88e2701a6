import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { runningStoreUri } from '@voice/shared/embedded-store/access';
import { type Collection, MongoClient } from 'mongodb';

/**
 * One client over the wire at 100,000 documents: indexed findOne, insertOne and updateOne a second, one after the
 * other and several in flight, as a control plane has them. Two measures show what is not the store's: a ping, which
 * is the driver and the socket alone, and the same work with plain node:sqlite in this process.
 * The server is a process of its own and is reached by its Unix socket, as in use.
 */
const DOCUMENTS = 100_000;
const SECONDS = 4;
const IN_FLIGHT = 8;
/** Finds and inserts a second that are to be reached: by a client that waits for each answer, and with several in flight. */
const GOALS = { alone: 3000, together: 8000 };

const directory = await mkdtemp(join(tmpdir(), 'store-benchmark-'));
const main = fileURLToPath(new URL('./main.js', import.meta.url));
const server = spawn(process.execPath, [main, '--port', '0', '--data', directory], {
  // It ends with this process.
  stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
});
const uri = await new Promise<string>((resolve, reject) => {
  server.once('error', reject);
  server.stdout?.once('data', (chunk) => {
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(String(chunk))?.[1]);
    resolve(runningStoreUri({ port, dataDir: directory, database: 'benchmark' }));
  });
});
const client = await MongoClient.connect(uri, { maxPoolSize: IN_FLIGHT });
const database = client.db('benchmark');
const calls = database.collection('calls');
await fill(calls);

let next = DOCUMENTS;
const operations = {
  ping: () => database.command({ ping: 1 }),
  'findOne by index': async () => {
    const call = await calls.findOne({ key: `key-${random()}` });
    if (call === null) throw new Error('a document is missing');
  },
  insertOne: () => calls.insertOne(document(next++)),
  'updateOne by index': () => calls.updateOne({ key: `key-${random()}` }, { $inc: { turns: 1 } }),
};
process.stdout.write(`a second: one after the other, ${IN_FLIGHT} in flight\n`);
const rates = new Map<string, { readonly alone: number; readonly together: number }>();
for (const [name, operation] of Object.entries(operations)) {
  const alone = await rate(1, operation);
  const together = await rate(IN_FLIGHT, operation);
  rates.set(name, { alone, together });
  print(name, alone, together);
}
const plain = plainSqlite();
print('plain node:sqlite, a get', plain.gets);
print('plain node:sqlite, an insert', plain.inserts);
const scanned = performance.now();
await calls.countDocuments({ 'agent.name': 'nobody' });
process.stdout.write(`full scan of ${next} documents: ${Math.round(performance.now() - scanned)} ms\n`);
for (const [name, filter] of [
  ['one tenant in a hundred', { tenant: 't1' }],
  ['every document', { tenant: { $gte: 't' } }],
] as const) {
  const started = performance.now();
  const counted = await calls.countDocuments(filter);
  process.stdout.write(
    `count by index, ${name} (${counted}): ${(performance.now() - started).toFixed(1)} ms\n`,
  );
}

await client.close();
server.kill();
await once(server, 'exit');
await rm(directory, { recursive: true, force: true });
for (const name of ['findOne by index', 'insertOne']) {
  const { alone = 0, together = 0 } = rates.get(name) ?? {};
  if (alone < GOALS.alone) fail(`${name}: below ${GOALS.alone}/s, one after the other`);
  if (together < GOALS.together) fail(`${name}: below ${GOALS.together}/s, ${IN_FLIGHT} in flight`);
}

function fail(why: string): void {
  process.stderr.write(`${why}\n`);
  process.exitCode = 1;
}

function document(n: number) {
  return {
    key: `key-${n}`,
    tenant: `t${n % 100}`,
    turns: n % 20,
    at: new Date(n),
    agent: { name: 'Ann', voice: 'de' },
    note: 'x'.repeat(120),
  };
}

function random(): number {
  return Math.floor(Math.random() * DOCUMENTS);
}

async function fill(collection: Collection): Promise<void> {
  await collection.createIndex({ key: 1 }, { unique: true });
  await collection.createIndex({ tenant: 1, at: -1 });
  for (let n = 0; n < DOCUMENTS; n += 5000) {
    await collection.insertMany(Array.from({ length: 5000 }, (_, at) => document(n + at)));
  }
}

/** Operations a second over some seconds, so many in flight, after half a second of warming up. */
async function rate(inFlight: number, operation: () => Promise<unknown>): Promise<number> {
  await run(inFlight, 0.5, operation);
  const start = performance.now();
  const count = await run(inFlight, SECONDS, operation);
  return (count / (performance.now() - start)) * 1000;
}

async function run(inFlight: number, seconds: number, operation: () => Promise<unknown>): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let count = 0;
  const oneAfterTheOther = async () => {
    for (; performance.now() < end; count++) await operation();
  };
  await Promise.all(Array.from({ length: inFlight }, oneAfterTheOther));
  return count;
}

function plainSqlite(): { gets: number; inserts: number } {
  const db = new DatabaseSync(join(directory, 'plain.sqlite'));
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  db.exec('CREATE TABLE calls(id INTEGER PRIMARY KEY, key TEXT UNIQUE, body TEXT)');
  const insert = db.prepare('INSERT INTO calls(key, body) VALUES (?, ?)');
  const get = db.prepare('SELECT body FROM calls WHERE key = ?');
  db.exec('BEGIN');
  for (let n = 0; n < DOCUMENTS; n++) insert.run(`key-${n}`, JSON.stringify(document(n)));
  db.exec('COMMIT');
  let at = DOCUMENTS;
  const result = {
    gets: syncRate(() => JSON.parse(String(get.get(`key-${random()}`)?.body))),
    inserts: syncRate(() => insert.run(`key-${at}`, JSON.stringify(document(at++)))),
  };
  db.close();
  return result;
}

function syncRate(operation: () => unknown): number {
  const start = performance.now();
  let count = 0;
  for (const end = start + 1000; performance.now() < end; count++) operation();
  return (count / (performance.now() - start)) * 1000;
}

function print(name: string, ...perSecond: number[]): void {
  const columns = perSecond.map((rate) => String(Math.round(rate)).padStart(9));
  process.stdout.write(`${name.padEnd(30)}${columns.join('')}\n`);
}
