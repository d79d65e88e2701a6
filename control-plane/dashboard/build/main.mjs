// Builds the dashboard where something of it has changed: types of the API, type check, bundle, compressed copies.
// `--check` holds the bundle's sizes to their limits as well; `--watch` bundles on every change, for development.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compressAll } from './compress.mjs';
import { inputHash } from './inputs.mjs';
import { bundleSizes, overLimit, sizeLines } from './sizes.mjs';
import { writeApiTypes } from './types.mjs';

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const require = createRequire(import.meta.url);
const DIST = here('dist');
const STAMP = join(DIST, '.inputs');
const TSC = here('../../node_modules/typescript/bin/tsc');
const VITE = join(dirname(require.resolve('vite/package.json')), 'bin/vite.js');

/** Runs a program on this Node to its end; its exit code. What it says goes to standard error. */
function runNode(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: here('.'), stdio: ['ignore', 2, 2] });
    child.once('error', reject).once('close', (code) => resolve(code ?? 1));
  });
}

async function checkTypes() {
  await writeApiTypes();
  return runNode([TSC, '-p', here('tsconfig.json')]);
}

async function build() {
  const hash = inputHash();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hash) return 0;
  const startedAt = Date.now();
  const codes = await Promise.all([checkTypes(), runNode([VITE, 'build', '--logLevel', 'warn'])]);
  if (codes.some((code) => code !== 0)) return 1;
  const built = here('.build');
  await compressAll(join(built, 'assets'));
  writeFileSync(join(built, '.inputs'), hash);
  // In one step, so that a running control plane never serves half of it.
  const old = here('.build-old');
  rmSync(old, { recursive: true, force: true });
  if (existsSync(DIST)) renameSync(DIST, old);
  renameSync(built, DIST);
  rmSync(old, { recursive: true, force: true });
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  process.stderr.write(`dashboard: built in ${seconds} s\n${sizeLines(bundleSizes(DIST)).join('\n')}\n`);
  return 0;
}

const { values } = parseArgs({ options: { check: { type: 'boolean' }, watch: { type: 'boolean' } } });
if (values.watch) {
  process.exitCode = await runNode([VITE, 'build', '--watch', '--outDir', DIST]);
} else {
  let code = await build();
  if (code === 0 && values.check) {
    const problems = overLimit(bundleSizes(DIST));
    for (const problem of problems) process.stderr.write(`dashboard: ${problem}\n`);
    code = problems.length > 0 ? 1 : 0;
  }
  process.exitCode = code;
}
