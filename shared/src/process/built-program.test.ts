import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BuiltProgram } from './built-program.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'built-program-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function program(text: string): string {
  const path = join(folder, 'program.mjs');
  writeFileSync(path, text);
  return relative(root, path);
}

describe('a built program', () => {
  it('is started with its arguments and variables, measured, and stopped', async () => {
    const entry = program(`
      process.send({ type: 'ready', port: Number(process.argv[2]), internal_port: Number(process.env.INTERNAL) });
      process.on('SIGTERM', () => process.exit(0));
      setInterval(() => {}, 1000);`);
    const started = await BuiltProgram.start(entry, ['7'], { INTERNAL: '8' });
    expect([started.port, started.internalPort]).toEqual([7, 8]);
    expect(started.usage()).toMatchObject({ cpuMs: expect.any(Number) });
    expect(started.usage().memory).toBeGreaterThan(1_000_000);
    expect(started.usageOfChildren()).toEqual({ cpuMs: 0, memory: 0 });
    await started.stop();
    await expect(started.stop()).resolves.toBeUndefined();
  });

  it('says by which code it has ended, also where it is asked later', async () => {
    const started = await BuiltProgram.start(
      program(`process.send({ type: 'ready', port: 1 }, () => process.exit(4));`),
    );
    expect(await started.ended()).toBe(4);
    expect(await started.ended()).toBe(4);
  });

  it('is reported when it ends before it is ready', async () => {
    const entry = program('process.exit(3);');
    await expect(BuiltProgram.start(entry)).rejects.toThrow(`${entry} ended with exit code 3`);
  });
});
