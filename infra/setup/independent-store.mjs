import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fromRoot } from './paths.mjs';

const FOLDER = fromRoot('infra/independent-store');
const START_LIMIT_MS = 120_000;

/** What it says of a command that MongoDB has and it has not. */
export const NO_EXPLAIN = /no such command: 'explain'/;

/** @param {string} program */
const isThere = (program) => spawnSync(program, ['-version'], { stdio: 'ignore' }).status === 0;

/**
 * Starts another implementation of MongoDB's wire protocol than ours, whose library Maven brings. It ends with this
 * process.
 * @returns {Promise<{ uri: string, end: () => void } | { missing: string }>} its address, or what it needs and is not there
 */
export async function startIndependentStore() {
  const missing = ['java', 'mvn'].filter((program) => !isThere(program));
  if (missing.length > 0) return { missing: missing.join(' and ') };
  const brought = spawnSync(
    'mvn',
    ['--quiet', '--batch-mode', '--file', `${FOLDER}/pom.xml`, 'dependency:copy-dependencies'],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  if (brought.status !== 0) return { missing: 'what Maven could not fetch (above)' };
  const classPath = `${FOLDER}/target/dependency/*`;
  const child = spawn('java', ['-cp', classPath, `${FOLDER}/IndependentStore.java`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const [uri] = await once(lines, 'line', { signal: AbortSignal.timeout(START_LIMIT_MS) });
  return { uri, end: () => child.stdin.end() };
}
