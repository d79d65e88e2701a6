import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a secret was found; the secret itself is not named again. */
export interface Leak {
  readonly where: string;
  readonly which: string;
}

export interface Secret {
  /** What it is, for the report. */
  readonly name: string;
  readonly value: string;
}

/** Searches lines of logs for secrets. Pure. */
export function leaksIn(where: string, lines: readonly string[], secrets: readonly Secret[]): Leak[] {
  return secrets.flatMap(({ name, value }) =>
    value !== '' && lines.some((line) => line.includes(value)) ? [{ where, which: name }] : [],
  );
}

/** Searches the log files below a folder. */
export function leaksInFiles(dir: string, secrets: readonly Secret[]): Leak[] {
  const files = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.(log|ndjson|jsonl)$/.test(path),
  );
  return files.flatMap((path) => leaksIn(path, readFileSync(join(dir, path), 'utf8').split('\n'), secrets));
}
