import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const runningProcess = z.object({
  name: z.string(),
  role: z.enum(['store', 'carrier', 'control-plane', 'worker']),
  pid: z.number().int(),
  /** Distinguishes the process from a later one of the same number; null where the system does not say. */
  birth: z.string().nullable(),
  port: z.number().int(),
});

/** What runs on a data directory: written by the launcher, read by the command-line tools. */
const runtimeFile = z.object({
  pid: z.number().int(),
  started_at: z.string(),
  /** How the outside reaches the API. */
  public_url: z.string(),
  /** How this machine reaches the API. */
  api_url: z.string(),
  /** How this machine reaches what is between the planes. */
  internal_url: z.string(),
  processes: z.array(runningProcess),
  /** How the last replacement of the planes ended; absent before the first. */
  last_restart: z
    .object({
      ended_at: z.string(),
      /** Why it stopped half-way; null where all were replaced. */
      failure: z.string().nullable(),
    })
    .optional(),
});
export type RuntimeFile = z.infer<typeof runtimeFile>;

const pathIn = (dataDir: string): string => join(dataDir, 'runtime.json');

export function writeRuntime(dataDir: string, runtime: RuntimeFile): void {
  const path = pathIn(dataDir);
  writeFileSync(`${path}.new`, `${JSON.stringify(runtime, null, 2)}\n`);
  renameSync(`${path}.new`, path);
}

/** Reads the file; undefined when there is none, or none that can be read. */
export function readRuntime(dataDir: string): RuntimeFile | undefined {
  try {
    return runtimeFile.parse(JSON.parse(readFileSync(pathIn(dataDir), 'utf8')));
  } catch {
    return undefined;
  }
}

export function removeRuntime(dataDir: string): void {
  rmSync(pathIn(dataDir), { force: true });
}
