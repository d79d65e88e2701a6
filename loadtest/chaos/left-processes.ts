import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

interface LeftProcess {
  readonly pid: number;
  /** Its script, or what runs where it has none. */
  readonly program: string;
}

/** Longer than a control plane takes that waits for its store, 40 s after its launcher's end. */
const ENDED_WITHIN_MS = 50_000;
const PROC = '/proc';

/** Returns the processes that were started with this directory among their arguments or in their environment (Linux). */
export function processesOf(dir: string): LeftProcess[] {
  return readdirSync(PROC).flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) return [];
    try {
      const args = readFileSync(`${PROC}/${name}/cmdline`, 'utf8');
      // What has ended and was not waited for yet has neither.
      if (!args.includes(dir) && !readFileSync(`${PROC}/${name}/environ`, 'utf8').includes(dir)) return [];
      const program = args.split('\0').find((arg) => arg.endsWith('.js')) ?? args.split('\0')[0]!;
      return [{ pid, program }];
    } catch {
      // It ended meanwhile, or is another user's.
      return [];
    }
  });
}

/**
 * Waits until no process of a system whose data lay in this directory runs. Returns what is wrong, one sentence for
 * each that is left, and ends it.
 * @param withinMs how long to wait
 */
export async function leftProcesses(dir: string, withinMs = ENDED_WITHIN_MS): Promise<string[]> {
  const startedAt = performance.now();
  let left = processesOf(dir);
  while (left.length > 0 && performance.now() - startedAt < withinMs) {
    await sleep(100);
    left = processesOf(dir);
  }
  return left
    .filter(({ pid }) => ends(pid))
    .map(
      ({ pid, program }) => `${program} (${pid}) still ran ${withinMs / 1000} s after the system had ended.`,
    );
}

/** Ends a process; false where there is none any more. */
function ends(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
