import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { storeUri } from '@voice/shared/embedded-store/access';
import { type Collection, MongoClient } from 'mongodb';
import { keepPassword } from './access/password.js';

/**
 * One client over the wire, one operation after the other, at 100,000 documents: indexed findOne and insertOne
 * a second. The same work with plain node:sqlite in this process gives the machine's speed to compare with.
 * The server has a thread of its own, as it has a process of its own in use.
 */
const DOCUMENTS = 100_000;
const SECONDS = 4;
const GOAL = 3000;

const directory = await mkdtemp(join(tmpdir(), 'store-benchmark-'));
const main = new URL('./main.js', import.meta.url);
const server = new Worker(main, { argv: ['--port', '0', '--data', directory], stdout: true });
const uri = await new Promise<string>((resolve, reject) => {
  server.once('error', reject);
  server.stdout.once('data', (chunk) => {
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(String(chunk))?.[1]);
    resolve(storeUri({ port, password: keepPassword(directory), database: 'benchmark' }));
  });
});
const client = await MongoClient.connect(uri, { maxPoolSize: 1 });
const calls = client.db('benchmark').collection('calls');
await fill(calls);

const finds = await rate(async () => {
  const call = await calls.findOne({ key: `key-${random()}` });
  if (call === null) throw new Error('a document is missing');
});
let next = DOCUMENTS;
const inserts = await rate(async () => {
  await calls.insertOne(document(next++));
});
const updates = await rate(async () => {
  await calls.updateOne({ key: `key-${random()}` }, { $inc: { turns: 1 } });
});
const plain = plainSqlite();

print('findOne by index', finds, plain.gets);
print('insertOne', inserts, plain.inserts);
print('updateOne by index', updates);
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
await server.terminate();
await rm(directory, { recursive: true, force: true });
if (finds < GOAL || inserts < GOAL) {
  process.stderr.write(`below the goal of ${GOAL}/s\n`);
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

/** Operations a second over some seconds, after half a second of warming up. */
async function rate(operation: () => Promise<void>): Promise<number> {
  for (const end = performance.now() + 500; performance.now() < end; ) await operation();
  const start = performance.now();
  let count = 0;
  for (const end = start + SECONDS * 1000; performance.now() < end; count++) await operation();
  return (count / (performance.now() - start)) * 1000;
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

function print(name: string, perSecond: number, plainPerSecond?: number): void {
  const ratio =
    plainPerSecond === undefined
      ? ''
      : `  (plain node:sqlite in process: ${Math.round(plainPerSecond)}/s, ratio 1:${(plainPerSecond / perSecond).toFixed(1)})`;
  process.stdout.write(`${name}: ${Math.round(perSecond)}/s${ratio}\n`);
}
