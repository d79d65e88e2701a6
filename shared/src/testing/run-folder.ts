import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const NAME = /^voice-tests-(\d+)-/;
/** Longer than any run, in ms: a process that is not to be seen may be in another container. */
const OLD_MS = 60 * 60_000;

/**
 * Makes the folder of temporary files of this test run, and removes those of runs that were killed: in memory they
 * would take their room for good.
 */
export function makeRunFolder(base: string): string {
  for (const name of readdirSync(base)) {
    const pid = Number(NAME.exec(name)?.[1]);
    if (pid && !runs(pid)) removeOld(join(base, name));
  }
  return mkdtempSync(join(base, `voice-tests-${process.pid}-`));
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's is there as well.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function removeOld(folder: string): void {
  try {
    if (Date.now() - statSync(folder).mtimeMs > OLD_MS) rmSync(folder, { recursive: true, force: true });
  } catch {
    // Another user's run has left it.
  }
}
