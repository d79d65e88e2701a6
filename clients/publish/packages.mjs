// What is published of the client libraries, and what must hold before.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLIENTS = fileURLToPath(new URL('..', import.meta.url));
export const TYPESCRIPT = join(CLIENTS, 'typescript');
export const PYTHON = join(CLIENTS, 'python');
/** Versions, and the API's major version as the generated methods have it. */
export function publishedVersions() {
  const methods = readFileSync(join(TYPESCRIPT, 'src/generated/resources.ts'), 'utf8');
  return {
    typescript: JSON.parse(readFileSync(join(TYPESCRIPT, 'package.json'), 'utf8')).version,
    python: /^version = "(.+)"$/m.exec(readFileSync(join(PYTHON, 'pyproject.toml'), 'utf8'))?.[1] ?? '',
    api: [...new Set([...methods.matchAll(/\/api\/v(\d+)\//g)].map(([, major]) => major))],
  };
}

/**
 * Returns what is wrong with the versions: both are one, and their major version is that of the API.
 * @param {{ typescript: string, python: string, api: readonly string[] }} versions
 */
export function versionProblems({ typescript, python, api }) {
  const problems = [];
  if (typescript !== python)
    problems.push(`TypeScript is ${typescript}, Python ${python}: they go together.`);
  if (api.length !== 1 || typescript.split('.')[0] !== api[0]) {
    problems.push(
      `The clients are ${typescript}, the API is v${api.join(', v')}: the major version is the API's.`,
    );
  }
  return problems;
}

/** Returns what was built of sources that are gone: the compiler leaves it, and it would be published. */
export function staleOutputs(
  outputs = globSync('dist/**/*.js', { cwd: TYPESCRIPT }),
  sources = globSync('src/**/*.ts', { cwd: TYPESCRIPT }),
) {
  const known = new Set(sources);
  return outputs.filter((path) => !known.has(path.replace(/^dist/, 'src').replace(/\.js$/, '.ts')));
}

/**
 * Packs the client for npm; returns the archive's name and the paths in it.
 * @param {string} folder where the archive goes
 */
export function packNpm(folder) {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
  const [packed] = JSON.parse(output('npm', args, TYPESCRIPT));
  return {
    archive: join(folder, packed.filename),
    paths: packed.files.map((/** @type {{ path: string }} */ { path }) => path),
  };
}

/**
 * Builds the wheel for PyPI. Needs pip and a package index, for the build backend.
 * @param {string} folder where the wheel goes
 */
export function buildWheel(folder) {
  const options = [
    '--no-deps',
    '--quiet',
    '--retries',
    '0',
    '--timeout',
    '10',
    '--disable-pip-version-check',
  ];
  output('python3', ['-m', 'pip', 'wheel', ...options, '--wheel-dir', folder, '.'], PYTHON);
  const [wheel] = globSync('*.whl', { cwd: folder });
  if (wheel === undefined) throw new Error('pip built no wheel.');
  return join(folder, wheel);
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} cwd
 */
function output(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args[0]} ended with ${status}: ${stderr}`);
  return stdout;
}
