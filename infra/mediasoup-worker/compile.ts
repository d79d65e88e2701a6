import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MEDIASOUP_VERSION } from '@voice/shared/mediasoup-worker/location';
import { runCommand } from '../installation/command.js';
import type { Meson } from './meson.js';
import { ObtainError } from './obtain-error.js';
import { readNinjaLine } from './progress.js';

export interface CompileOptions {
  /** Mediasoup's npm package, which holds the worker's sources. */
  readonly packageFolder: string;
  /** Our stand-ins for the libraries that its build would download. */
  readonly subprojects: string;
  /** An empty folder to work in. */
  readonly folder: string;
  readonly meson: Meson;
  readonly jobs: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

/** One of the headers that one command makes of mediasoup's schemas, as a target of ninja. */
const GENERATED_HEADER = 'fbs/FBS/notification.h';

/** Compiles the worker from the npm package's sources against the machine's libraries. @returns the binary's path */
export async function compile(options: CompileOptions): Promise<string> {
  const { packageFolder, folder, meson, jobs, signal, onProgress } = options;
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
  if (version !== MEDIASOUP_VERSION) {
    throw new ObtainError(
      `mediasoup ${version} is installed; this build is made for ${MEDIASOUP_VERSION}.`,
      'Install what package-lock.json says: npm ci',
    );
  }
  const sources = join(folder, 'worker');
  await cp(join(packageFolder, 'worker'), sources, { recursive: true });
  await replaceSubprojects(join(sources, 'subprojects'), options.subprojects);
  const dtls = join(sources, 'src/RTC/DtlsTransport.cpp');
  await writeFile(dtls, mendBioCallback(await readFile(dtls, 'utf8')));

  const out = join(folder, 'out');
  const env = { ...process.env, ...meson.env };
  const setup = ['setup', '--wrap-mode=nodownload', '--buildtype=release', '-Db_ndebug=true', out, sources];
  await step('configure', meson.program, [...meson.args, ...setup], { env, signal });
  // Not through meson: it would not pass our end on to ninja.
  const ninja = (name: string, target: string, onLine: (line: string) => void = () => {}) =>
    step(name, 'ninja', ['-C', out, '-j', String(jobs), target], {
      env: { ...env, NINJA_STATUS: '[%f/%t] ' },
      signal,
      onLine,
    });
  // Mediasoup's build lets its libwebrtc, which includes them too, be compiled before they are made.
  await ninja('generate headers', GENERATED_HEADER);
  await ninja('compile', 'mediasoup-worker', (line) => {
    const at = readNinjaLine(line);
    if (at) onProgress(at.done, at.total);
  });
  const binary = join(folder, 'mediasoup-worker');
  await step('strip', 'strip', ['-o', binary, join(out, 'mediasoup-worker')], { env, signal });
  return binary;
}

/** Puts our stand-ins in place of all that would be downloaded. */
async function replaceSubprojects(into: string, from: string): Promise<void> {
  for (const name of await readdir(into)) {
    if (name.endsWith('.wrap')) await rm(join(into, name));
  }
  await cp(from, into, { recursive: true });
}

const WRONG_TEST = '(operationType == BIO_CB_RETURN)';
const RIGHT_TEST = '(operationType & BIO_CB_RETURN)';

/**
 * OpenSSL calls back with flags, `BIO_CB_RETURN | BIO_CB_CTRL` too: compared as a number, the answer of a control
 * is replaced by 1, which an OpenSSL built with kernel TLS (Debian's) takes for "kernel TLS is on". The worker
 * then dies at the first DTLS handshake.
 */
export function mendBioCallback(source: string): string {
  if (source.includes(RIGHT_TEST)) return source;
  if (!source.includes(WRONG_TEST)) {
    throw new ObtainError(
      'mediasoup’s DtlsTransport.cpp is not as this build knows it.',
      'Check how it treats BIO_CB_RETURN and adapt infra/mediasoup-worker/compile.ts.',
    );
  }
  return source.replace(WRONG_TEST, RIGHT_TEST);
}

async function step(
  name: string,
  program: string,
  args: readonly string[],
  options: Parameters<typeof runCommand>[2],
): Promise<void> {
  const { code, tail } = await runCommand(program, args, options);
  options?.signal?.throwIfAborted();
  if (code === 0) return;
  throw new ObtainError(
    `mediasoup’s worker could not be built (${name}): ${tail}`,
    'Mend what is named and run: npm run mediasoup',
  );
}
