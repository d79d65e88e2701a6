import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Gives the tests a directory for temporary files that is removed after the run: the workers of the test runner are
 * ended by a signal, and could not tidy up themselves.
 */
export default function setup(): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'voice-tests-'));
  process.env.TMPDIR = directory;
  return () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}
