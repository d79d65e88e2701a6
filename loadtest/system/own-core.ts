import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Which processors the worker has, and which everything else has. */
export interface Cores {
  readonly worker: number;
  readonly others: readonly number[];
}

/**
 * Gives the worker the first of the processors that this process may use, and the bench and the emulated vendors the
 * others.
 * @param allowed as Linux lists them: `0-1`, or `0,2-3`
 * @throws {Error} there is but one
 */
export function divideCores(allowed: string): Cores {
  const cores = allowed.split(',').flatMap((range) => {
    const [from = 0, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, n) => from + n);
  });
  const [worker, ...others] = cores;
  if (worker === undefined || others.length === 0) {
    throw new Error('--own-core: expected two processors or more, one of them for the worker alone');
  }
  return { worker, others };
}

/** Reads which processors this process may use (proc_pid_status(5)). */
export function allowedCores(): string {
  const line = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  if (!line?.[1]) throw new Error('--own-core: expected Linux, with /proc/self/status');
  return line[1];
}

/** Keeps a process with all its threads, and what it starts from then on, on the given processors. */
export function keepOn(pid: number, cores: readonly number[]): void {
  const { status, error, stderr } = spawnSync('taskset', ['-acp', cores.join(','), String(pid)], {
    encoding: 'utf8',
  });
  if (error || status !== 0) {
    throw new Error(`--own-core: taskset (Debian’s util-linux) failed: ${error?.message ?? stderr.trim()}`);
  }
}
