import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ProcessSpec, spawnProcess } from './child-process.js';
import { AWAIT_GO_ARGS, Standby } from './standby.js';

/** For processes on a busy machine. */
const WITHIN = { timeout: 60_000 };
/** Loading it can be seen by what it leaves. */
const PACKAGE = 'data:text/javascript,globalThis.isLoaded = true';
const PROGRAM = 'process.send({ isLoaded: globalThis.isLoaded === true }); process.disconnect();';

let root: string;
let spec: ProcessSpec;
let standby: Standby;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'standby-'));
  const entry = join(root, 'program.cjs');
  writeFileSync(entry, PROGRAM);
  spec = { name: 'control-plane', role: 'control-plane', entry, args: [], env: { PATH: process.env.PATH } };
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
afterEach(() => standby.end());

describe('a process that stands by', WITHIN, () => {
  it('runs its program when it is taken, with the packages loaded', async () => {
    standby = new Standby();
    standby.prepare(spec, ['no-such-package', PACKAGE], 1);
    const child = standby.take()!;
    const [message] = await once(child, 'message');
    expect(message).toEqual({ isLoaded: true });
    await once(child, 'exit');
    expect([child.exitCode, standby.take()]).toEqual([0, undefined]);
  });

  it('is one, however often it is asked for', () => {
    standby = new Standby();
    standby.prepare(spec, [], 1);
    standby.prepare(spec, [], 1);
    expect(standby.take()).toBeDefined();
    expect(standby.take()).toBeUndefined();
  });

  it('is replaced once other packages are installed', async () => {
    standby = new Standby();
    standby.prepare(spec, [PACKAGE], 1);
    standby.prepare(spec, [], 2);
    const [message] = await once(standby.take()!, 'message');
    expect(message).toEqual({ isLoaded: false });
  });

  it('ends with its parent, and never runs its program', async () => {
    standby = new Standby();
    const child = spawnProcess(spec, AWAIT_GO_ARGS);
    child.send({ type: 'load', packages: ['data:text/javascript,process.send("loaded")'] });
    expect(await once(child, 'message')).toEqual(['loaded', undefined]);
    // The parent's death closes its channel.
    const heard: unknown[] = [];
    child.on('message', (message) => heard.push(message));
    child.disconnect();
    await once(child, 'exit');
    expect([child.exitCode, heard]).toEqual([0, []]);
  });
});
