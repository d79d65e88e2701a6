import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shareStore } from './control-plane/src/testing/shared-store.js';

/**
 * Gives the tests a directory for temporary files that is removed after the run: the workers of the test runner are
 * ended by a signal, and could not tidy up themselves. Gives them one store.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'voice-tests-'));
  process.env.TMPDIR = directory;
  const endStore = await shareStore();
  return async () => {
    await endStore();
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
}
