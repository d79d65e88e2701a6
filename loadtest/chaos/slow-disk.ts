/** Of each of these times a process runs for the first part and is stopped for the rest, in ms. */
const RUNS_MS = 20;
const WAITS_MS = 180;

/**
 * Lets processes wait for nine tenths of the time, as those do that write to a disk which is busy: the embedded store
 * and SQLite write synchronously, so that to wait for the disk is to stand still. Returns what ends it.
 */
export function slowDown(pids: readonly number[]): () => void {
  let isStopped = false;
  let timer: NodeJS.Timeout;
  const step = () => {
    isStopped = !isStopped;
    for (const pid of pids) signal(pid, isStopped ? 'SIGSTOP' : 'SIGCONT');
    timer = setTimeout(step, isStopped ? WAITS_MS : RUNS_MS);
  };
  step();
  return () => {
    clearTimeout(timer);
    for (const pid of pids) signal(pid, 'SIGCONT');
  };
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended meanwhile.
  }
}
