import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runBatch, runBatchFast } from './batches.js';
import type { FuzzTarget } from './target.js';
import { TARGETS } from './targets.js';

/** A reader that collects what it reads, and fails with its hundredth. */
function collecting(): FuzzTarget & { readonly read: number[] } {
  const read: number[] = [];
  return {
    read,
    begin: () => void read.splice(0),
    run(random) {
      read.push(random());
      if (read.length === 100) throw new Error('full');
    },
  };
}

describe('a batch of inputs', () => {
  it('begins with nothing that the batch before has left, and is the same for the same seed', async () => {
    const target = collecting();
    expect(await runBatch(target, 7, 90)).toBeUndefined();
    const first = [...target.read];
    expect(await runBatch(target, 7, 90)).toBeUndefined();
    expect(target.read).toEqual(first);
  });

  it('counts inputs that are read side by side', async () => {
    const read: number[] = [];
    await runBatch({ inputsARun: 50, run: () => {} }, 1, 150, (n) => read.push(n));
    expect(read).toEqual([50, 100, 150]);
  });

  it('says by which seed and how many inputs a failure comes again, with a stack trace', async () => {
    const limit = Error.stackTraceLimit;
    const target = collecting();
    const failure = await runBatchFast(target, 7, 1000);
    expect(failure).toMatchObject({ seed: 7, at: 99, error: { message: 'full' } });
    expect((failure!.error as Error).stack).toContain('batches.test');
    expect(target.read).toHaveLength(100);
    expect(Error.stackTraceLimit).toBe(limit);
  });

  it('takes no stack traces of what readers refuse', async () => {
    const stacks: (string | undefined)[] = [];
    await runBatchFast({ run: () => void stacks.push(new Error('refused').stack) }, 1, 1);
    expect(stacks).toEqual(['Error: refused']);
  });

  it('is begun anew by each target that keeps something', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'fuzz-test-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    for (const name of ['twilio', 'telnyx', 'plivo', 'sdp', 'store']) {
      expect((await TARGETS[name]!(dir)).begin, name).toBeTypeOf('function');
    }
  });
});
