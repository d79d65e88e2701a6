import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the workers are to know. */
export interface Job {
  /** Epoch ms; no mutant is begun after it. */
  readonly deadline: number;
  /** Test files that take longer than this without a mutant, in ms, are put off; null: none is. */
  readonly quickMs: number | null;
}

/** What the workers note, line by line. */
export type JobRecord =
  | { readonly kind: 'worker'; readonly pid: number }
  /** The file's tests fail without any mutant. */
  | { readonly kind: 'broken'; readonly file: string; readonly message: string }
  /** It is slow: the quick ones come first. In ms. */
  | { readonly kind: 'put_off'; readonly file: string; readonly ms: number }
  /** A worker that is at it for longer than `limitMs` hangs in code that no guard counts. `at` is epoch ms. */
  | {
      readonly kind: 'begun';
      readonly id: number;
      readonly file: string;
      readonly at: number;
      readonly limitMs: number;
    }
  | {
      readonly kind: 'judged';
      readonly id: number;
      /** The test file. */
      readonly file: string;
      readonly killed: boolean;
      /** What failed; empty where nothing did. */
      readonly by: string;
    }
  /** All mutants that the test file executes were judged by it. */
  | { readonly kind: 'done'; readonly file: string };

export interface Judgement {
  readonly killed: boolean;
  /** The test files that judged it. */
  readonly by: ReadonlySet<string>;
}

export const paths = (dir: string) => ({
  job: join(dir, 'job.json'),
  records: join(dir, 'records.jsonl'),
});

export function readJob(dir: string): Job {
  return JSON.parse(readFileSync(paths(dir).job, 'utf8')) as Job;
}

/** Pure. A last line that is not whole yet is left out. */
export function recordsIn(text: string): JobRecord[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JobRecord);
}

/** Returns what is known of each mutant that any test judged. Pure. */
export function judgedIn(text: string): ReadonlyMap<number, Judgement> {
  const judged = new Map<number, { killed: boolean; by: Set<string> }>();
  for (const entry of recordsIn(text)) {
    if (entry.kind !== 'judged') continue;
    const known = judged.get(entry.id) ?? { killed: false, by: new Set<string>() };
    judged.set(entry.id, { killed: known.killed || entry.killed, by: known.by.add(entry.file) });
  }
  return judged;
}
