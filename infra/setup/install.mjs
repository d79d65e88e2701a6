import { spawn } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { delimiter } from 'node:path';
import { stampInstalled, whyInstall } from './installed.mjs';
import { notify, SetupError, Stopped, secondsSince } from './messages.mjs';
import { ROOT } from './paths.mjs';

const NEEDED_BYTES = 1.5e9;
const STILL_AT_IT_MS = 15_000;

/** Brings node_modules to what the lock file says; returns at once when it is. */
export async function install() {
  const why = whyInstall();
  if (!why) return;
  const { bavail, bsize } = statfsSync(ROOT);
  if (bavail * bsize < NEEDED_BYTES) {
    throw new SetupError(
      `Only ${Math.floor((bavail * bsize) / 1e6)} MB are free where the project lies; the packages need ${NEEDED_BYTES / 1e6} MB.`,
      `free some space under ${ROOT} and run the same command again.`,
    );
  }
  const startedAt = Date.now();
  notify(`installing packages from package-lock.json (${why}); the first time takes a minute or two`);
  const stillAtIt = setInterval(
    () => notify(`still installing (${secondsSince(startedAt)})`),
    STILL_AT_IT_MS,
  );
  const { code, output, stopped } = await npmCi().finally(() => clearInterval(stillAtIt));
  if (stopped) throw new Stopped(stopped);
  if (code !== 0) throw explain(output);
  stampInstalled();
  notify(`packages installed in ${secondsSince(startedAt)}`);
}

/**
 * @param {{ program: string, first: string[] }} [npm]
 * @returns {Promise<{ code: number, output: string, stopped?: NodeJS.Signals }>}
 */
export function npmCi({ program, first } = npmProgram()) {
  const args = [...first, 'ci', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  return new Promise((resolve) => {
    const child = spawn(program, [...args, '--fetch-retries=3', '--fetch-timeout=60000'], {
      cwd: ROOT,
      env: {
        ...process.env,
        // Not ours: node_modules is about to be replaced.
        PATH: (process.env.PATH ?? '')
          .split(delimiter)
          .filter((entry) => !entry.includes('node_modules'))
          .join(delimiter),
        // Its CPU library is in the package; the download is of what we do not use.
        ONNXRUNTIME_NODE_INSTALL: 'skip',
        // Any value keeps mediasoup's install script from downloading or building, also under npm 10, which does
        // not know `allowScripts`: a silent server would hang it. infra/mediasoup-worker brings the worker.
        MEDIASOUP_WORKER_BIN: process.env.MEDIASOUP_WORKER_BIN || 'brought by infra/mediasoup-worker',
        SCARF_ANALYTICS: 'false',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
        process.stderr.write(chunk);
      });
    }
    /** @type {NodeJS.Signals | undefined} */
    let stopped;
    /** @param {NodeJS.Signals} signal */
    const stop = (signal) => {
      stopped = signal;
      child.kill('SIGTERM');
    };
    process.once('SIGINT', stop).once('SIGTERM', stop);
    child.once('error', (error) => resolve({ code: 1, output: `${output}\n${error.message}` }));
    child.once('close', (code) => {
      process.off('SIGINT', stop).off('SIGTERM', stop);
      resolve({ code: code ?? 1, output, stopped });
    });
  });
}

/** Finds the npm that runs us where one does, so that its Node is not the one that is being replaced. */
function npmProgram() {
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  if (npm?.endsWith('.js') && node && !node.includes('node_modules')) return { program: node, first: [npm] };
  return { program: 'npm', first: [] };
}

const CAUSES = [
  {
    sign: /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|network/i,
    problem: 'The npm registry could not be reached.',
    remedy:
      'check the network and `npm config get registry` (behind a proxy: `npm config set proxy URL`), then run the same command again.',
  },
  {
    sign: /ENOSPC/,
    problem: 'The disk is full.',
    remedy: 'free about 1.5 GB and run the same command again.',
  },
  {
    sign: /EUSAGE|in sync/,
    problem: 'package.json and package-lock.json disagree.',
    remedy:
      'take both files from the same commit, or run `ONNXRUNTIME_NODE_INSTALL=skip npm install` after changing package.json.',
  },
  {
    sign: /EACCES|EPERM|EROFS/,
    problem: 'A file could not be written.',
    remedy: `make ${ROOT} and the npm cache (\`npm config get cache\`) writable for this user.`,
  },
  {
    sign: /EINTEGRITY/,
    problem: 'A package is not what the lock file says (checksum).',
    remedy: 'run `npm cache clean --force`, then the same command again.',
  },
  {
    sign: /spawn npm ENOENT/,
    problem: 'npm was not found.',
    remedy: 'install npm (it comes with Node; on Debian: apt-get install npm).',
  },
];

/** @param {string} output npm's own words */
export function explain(output) {
  const cause = CAUSES.find(({ sign }) => sign.test(output));
  return new SetupError(
    cause?.problem ?? 'npm could not install the packages (its own words are above).',
    cause?.remedy ?? 'mend what npm names and run the same command again.',
  );
}
