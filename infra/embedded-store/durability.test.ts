import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { storeUri } from '@voice/shared/embedded-store/access';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keepPassword } from './access/password.js';

/** The built program, as the launcher starts it. */
const MAIN = fileURLToPath(new URL('../dist/embedded-store/main.js', import.meta.url));

interface Running {
  readonly process: ChildProcess;
  readonly uri: string;
  readonly exit: Promise<number | null>;
}

let directory: string;
let started: ChildProcess[];
beforeEach(async () => {
  expect(existsSync(MAIN), `${MAIN} is missing: build infra first`).toBe(true);
  directory = await mkdtemp(join(tmpdir(), 'embedded-store-'));
  started = [];
});
afterEach(async () => {
  for (const child of started) child.kill('SIGKILL');
  await rm(directory, { recursive: true, force: true });
});

function launch(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const exit = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code));
  });
  return { child, output, exit };
}

async function start(): Promise<Running> {
  const { child, output, exit } = launch('--port', '0', '--data', directory);
  const uri = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const ready = /^embedded store ready on mongodb:\/\/127\.0\.0\.1:(\d+) .*\n$/.exec(output.stdout);
      const password = keepPassword(directory);
      if (ready?.[1]) resolve(storeUri({ port: Number(ready[1]), password, database: 'test' }));
    });
    void exit.then((code) => reject(new Error(`exited with ${code}: ${output.stderr}`)));
  });
  return { process: child, uri, exit };
}

describe('the process', () => {
  test('kill -9 under write load loses nothing that was acknowledged', async () => {
    const acknowledged: number[] = [];
    let counted = 0;
    for (let round = 0; round < 3; round++) {
      const { process: child, uri, exit } = await start();
      const client = await MongoClient.connect(uri, { retryWrites: false, serverSelectionTimeoutMS: 1000 });
      const numbers = client.db('load').collection('numbers');
      const counter = client.db('load').collection<{ _id: string; n: number }>('counter');
      if (round === 0) await numbers.createIndex({ n: 1 }, { unique: true });
      let loaded: () => void = () => undefined;
      const underLoad = new Promise<void>((resolve) => {
        loaded = resolve;
      });
      const writers = Array.from({ length: 4 }, async (_, writer) => {
        for (let n = writer + round * 1_000_000; ; n += 4) {
          try {
            await numbers.insertOne({ n, text: 'x'.repeat(100) });
            acknowledged.push(n);
            await counter.updateOne({ _id: 'all' }, { $inc: { n: 1 } }, { upsert: true });
            counted++;
          } catch {
            return;
          }
          if (acknowledged.length % 400 === 399) loaded();
        }
      });
      await underLoad;
      child.kill('SIGKILL');
      await exit;
      await Promise.all(writers);
      await client.close();
    }
    const { uri, process: child, exit } = await start();
    const client = await MongoClient.connect(uri);
    const numbers = client.db('load').collection('numbers');
    const present = new Set((await numbers.find().toArray()).map(({ n }) => n));
    expect(acknowledged.filter((n) => !present.has(n))).toEqual([]);
    for (const n of acknowledged.slice(-50)) expect(await numbers.findOne({ n })).not.toBeNull();
    const counter = await client
      .db('load')
      .collection<{ _id: string; n: number }>('counter')
      .findOne({ _id: 'all' });
    expect(counter?.n).toBeGreaterThanOrEqual(counted);
    await client.close();
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it cleanly, with clients connected', async (signal) => {
    const { process: child, uri, exit } = await start();
    const client = await MongoClient.connect(uri);
    await client.db('a').collection('b').insertOne({ c: 1 });
    child.kill(signal);
    expect(await exit).toBe(0);
    await client.close();
  });

  test('a taken port is a clear error', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => {
      other.listen(0, '127.0.0.1', resolve);
    });
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { exit, output } = launch('--port', String(port), '--data', directory);
    expect(await exit).toBe(1);
    expect(output.stderr).toContain(`port ${port} is taken`);
    expect(output.stdout).toBe('');
    other.close();
  });

  test('a directory in use is a clear error', async () => {
    await start();
    const { exit, output } = launch('--port', '0', '--data', directory);
    expect(await exit).toBe(1);
    expect(output.stderr).toContain('in use by another embedded store');
  });

  test('--help explains, a wrong flag is refused', async () => {
    const help = launch('--help');
    expect(await help.exit).toBe(0);
    expect(help.output.stdout).toContain('--port N');
    const wrong = launch('--prot', '1');
    expect(await wrong.exit).toBe(2);
    expect(wrong.output.stderr).toContain('unknown argument --prot');
  });
});
