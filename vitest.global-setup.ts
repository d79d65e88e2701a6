import { rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { shareStore } from './control-plane/src/testing/shared-store.js';
import { makeRunFolder } from './shared/src/testing/run-folder.js';

/** Files in memory, of Linux. */
const MEMORY = '/dev/shm';
/** Several times what a run of everything keeps at once, in bytes; containers have 64 MB. */
const ROOMY = 4 * 1024 ** 3;

/** Returns where temporary files go: into memory where there is plenty, as hundreds of stores wait for a disk. */
function temporaryFiles(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOMY ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/**
 * Gives the tests a directory for temporary files that is removed after the run: the workers of the test runner are
 * ended by a signal, and could not tidy up themselves. Gives them one store.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const directory = makeRunFolder(temporaryFiles());
  process.env.TMPDIR = directory;
  const endStore = await shareStore();
  return async () => {
    await endStore();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
}
