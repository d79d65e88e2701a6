import { setTimeout as sleep } from 'node:timers/promises';
import { stillRuns } from '../installation/process-identity.js';
import { readRuntime } from '../installation/runtime-file.js';

const ASK_FOR_MS = 3_000;
const POLL_MS = 50;

/**
 * Ends what a launcher that was killed left behind on the data directory: its processes notice by
 * themselves, but two stores must never write the same files. Each process is known by pid and birth, so
 * that no stranger is ended.
 */
export async function endLeftovers(dataDir: string, notify: (line: string) => void): Promise<void> {
  const left = (readRuntime(dataDir)?.processes ?? []).filter(stillRuns);
  if (left.length === 0) return;
  notify(`An earlier run left ${left.map(({ name }) => name).join(', ')} behind; ending them first.`);
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const deadline = Date.now() + ASK_FOR_MS;
    for (const { pid } of left.filter(stillRuns)) process.kill(pid, signal);
    while (left.some(stillRuns) && Date.now() < deadline) await sleep(POLL_MS);
    if (!left.some(stillRuns)) return;
  }
  throw new Error(`Processes ${left.map(({ pid }) => pid).join(', ')} of an earlier run cannot be ended.`);
}
