import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensurePackages } from '../installation/debian-packages.js';
import { lockFile } from '../installation/file-lock.js';
import { compile } from './compile.js';
import type { ObtainConfig } from './config.js';
import { download, prebuiltUrl } from './download.js';
import { findMeson } from './meson.js';
import { ObtainError } from './obtain-error.js';
import { roughly, secondsLeft } from './progress.js';
import { REQUIREMENTS } from './requirements.js';
import { runsHere } from './runs-here.js';
import { StatusFile } from './status-file.js';

export interface ObtainOptions {
  readonly config: ObtainConfig;
  /** The clone's root. */
  readonly root: string;
  readonly signal: AbortSignal;
  /** Progress for a person to read. */
  readonly notify: (line: string) => void;
}

const LOOK_AGAIN_MS = 500;
const NOTIFY_EVERY_MS = 30_000;
const UNFINISHED = 'unfinished-';
const PURPOSE = { that: 'mediasoup’s worker is built with', next: 'npm run mediasoup' };

/**
 * Returns mediasoup's worker: the operator's own, else the one in the cache, else the official one downloaded, else
 * one built from the npm package's sources. One process at a time; the others wait and find it there.
 * @returns the binary's path
 * @throws ObtainError, PackagesUnavailable that say what to do
 */
export async function obtain(options: ObtainOptions): Promise<string> {
  const { config, signal } = options;
  const { binary, isGiven } = config.location;
  if (await runsHere(binary, signal)) return binary;
  if (isGiven) {
    throw new ObtainError(
      `MEDIASOUP_WORKER_BIN (${binary}) is no mediasoup worker that runs here.`,
      'Correct it, or unset it to have one downloaded or built.',
    );
  }
  const folder = dirname(binary);
  mkdirSync(folder, { recursive: true });
  const lock = await waitForLock(join(folder, 'lock'), options);
  const status = new StatusFile(config.location.status);
  const work = join(folder, `${UNFINISHED}${process.pid}`);
  try {
    if (await runsHere(binary, signal)) return binary;
    removeUnfinished(folder);
    mkdirSync(work);
    renameSync(await make(work, options, status), binary);
    return binary;
  } catch (error) {
    if (!signal.aborted) status.publish({ state: 'failed', reason: reasonOf(error) });
    throw error;
  } finally {
    status.close();
    rmSync(work, { recursive: true, force: true });
    lock.free();
  }
}

/** Downloads or builds it in the folder `work`. */
async function make(work: string, options: ObtainOptions, status: StatusFile): Promise<string> {
  const { config, root, signal, notify } = options;
  status.publish({ state: 'working', step: 'looking for the official binary', seconds_left: null });
  const downloaded = await download(prebuiltUrl(config), work, signal);
  signal.throwIfAborted();
  if ('binary' in downloaded) {
    notify('mediasoup’s worker is downloaded');
    return downloaded.binary;
  }
  notify(`mediasoup’s official worker cannot be had: ${downloaded.unavailable}`);

  const onStep = (step: string) => {
    notify(step);
    status.publish({ state: 'working', step, seconds_left: null });
  };
  await ensurePackages(REQUIREMENTS, PURPOSE, { isRoot: config.isRoot, signal, onStep });
  const meson = await findMeson(dirname(dirname(config.location.binary)), signal);
  signal.throwIfAborted();

  const startedAt = Date.now();
  let notifiedAt = startedAt;
  const left = (done: number, total: number) =>
    secondsLeft({ done, total, elapsedSeconds: (Date.now() - startedAt) / 1000, jobs: config.jobs });
  const step = 'building mediasoup’s worker';
  notify(`${step}, ${roughly(left(0, 1))}, once`);
  status.publish({ state: 'working', step, seconds_left: left(0, 1) });
  const built = await compile({
    packageFolder: join(root, 'node_modules/mediasoup'),
    subprojects: join(root, 'infra/mediasoup-worker/subprojects'),
    folder: work,
    meson,
    jobs: config.jobs,
    signal,
    onProgress(done, total) {
      const seconds = left(done, total);
      status.publish({ state: 'working', step, seconds_left: seconds });
      if (Date.now() - notifiedAt < NOTIFY_EVERY_MS) return;
      notifiedAt = Date.now();
      notify(`${step}, ${Math.floor((100 * done) / total)} %, ${roughly(seconds)} left`);
    },
  });
  if (!(await runsHere(built, signal))) {
    throw new ObtainError('mediasoup’s worker was built, and does not run.', 'Run it by hand to see why.');
  }
  notify(`mediasoup’s worker is built (${Math.round((Date.now() - startedAt) / 1000)} s)`);
  return built;
}

async function waitForLock(path: string, { signal, notify }: ObtainOptions): Promise<{ free(): void }> {
  for (let notified = false; ; notified = true) {
    const lock = lockFile(path);
    if (lock) return lock;
    if (!notified) notify('another process is fetching or building it; waiting');
    await sleep(LOOK_AGAIN_MS, undefined, { signal });
  }
}

/** Removes what a killed build left; under the lock nobody else works there. */
function removeUnfinished(folder: string): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(UNFINISHED)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

const REASON_LENGTH = 400;

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.length <= REASON_LENGTH ? text : `${text.slice(0, REASON_LENGTH)}…`;
}
