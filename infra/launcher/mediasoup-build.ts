import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { readConfig } from '../mediasoup-worker/config.js';

export interface MediasoupBuildOptions {
  /** Path of the built entry. */
  readonly entry: string;
  readonly env: NodeJS.ProcessEnv;
  /** Progress, and why it failed, for a person to read. */
  readonly onLine: (line: string) => void;
}

const STOP_WITHIN_MS = 5000;

/**
 * Brings mediasoup's worker in the background where it is not in the cache yet: nothing waits for it, the media
 * workers take WebRTC sessions as soon as it is there. Undefined where there is nothing to do.
 */
export function startMediasoupBuild(options: MediasoupBuildOptions): { stop(): Promise<void> } | undefined {
  const { entry, env, onLine } = options;
  const { binary, isGiven } = readConfig(env).location;
  if (isGiven || existsSync(binary)) return undefined;
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry], {
    env,
    // When the launcher is killed, the channel closes and the build ends.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', (error) => {
      onLine(`WebRTC: the build of mediasoup’s worker could not be started: ${error.message}`);
      resolve();
    });
  });
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream! }).on('line', onLine);
  return {
    async stop() {
      child.kill('SIGTERM');
      const limit = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
      await ended;
      clearTimeout(limit);
    },
  };
}
