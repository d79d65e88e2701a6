// `npm run publish:clients`
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildWheel, packNpm, publishedVersions, staleOutputs, versionProblems } from './packages.mjs';

const FOLDER = fileURLToPath(new URL('../dist', import.meta.url));
const TWINE = ['-m', 'twine'];

/** @param {string} message */
function fail(message) {
  console.error(`clients: ${message}`);
  process.exit(1);
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
function run(command, args) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) fail(`${command} ${args.join(' ')} ended with ${status}.`);
}

const USAGE = `Usage: npm run publish:clients [-- --publish]

Packs both client libraries into clients/dist. With --publish it sends them to npm and PyPI, by the
credentials that npm and twine have.
`;

/** Returns whether to send them; ends the program for anything else. */
function isToPublish() {
  try {
    const { values } = parseArgs({
      options: { publish: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' } },
    });
    if (!values.help) return values.publish;
    process.stdout.write(USAGE);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${/** @type {Error} */ (error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}

const publish = isToPublish();
const versions = publishedVersions();
for (const problem of versionProblems(versions)) fail(problem);
const stale = staleOutputs();
if (stale.length > 0)
  fail(`built of sources that are gone: ${stale.join(', ')}. Delete clients/typescript/dist.`);
// Before anything is sent: one without the other is half a version.
if (publish && spawnSync('python3', [...TWINE, '--version']).status !== 0) {
  fail('twine is missing: python3 -m pip install twine');
}
rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const { archive, paths } = packNpm(FOLDER);
const wheel = buildWheel(FOLDER);
console.log(`${archive} (${paths.length} files)\n${wheel}`);
if (publish) {
  run('python3', [...TWINE, 'check', wheel]);
  run('npm', ['publish', archive]);
  run('python3', [...TWINE, 'upload', wheel]);
} else console.log('Nothing was sent: `npm run publish:clients -- --publish` sends them.');
