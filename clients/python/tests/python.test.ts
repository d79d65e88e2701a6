import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const FOLDER = fileURLToPath(new URL('..', import.meta.url));
/** Types with unpacked keyword arguments came with it. */
const OLDEST = 11;

/** Whether there is a Python that can run the client; says aloud when there is none. */
function hasPython(): boolean {
  const { stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.version_info[1])'], {
    encoding: 'utf8',
  });
  if (Number(stdout) >= OLDEST) return true;
  console.warn(`!!! no python3 of at least 3.${OLDEST}: the tests of the Python client are SKIPPED`);
  return false;
}

describe.runIf(hasPython())('the Python client', () => {
  it('passes its own tests', () => {
    const { status, stderr } = spawnSync('python3', ['-m', 'unittest', 'discover', '-s', 'tests'], {
      cwd: FOLDER,
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    expect(stderr).toMatch(/Ran [1-9]\d* tests/);
  });
});
