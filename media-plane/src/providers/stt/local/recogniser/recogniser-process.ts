import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { availableParallelism, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '@voice/shared/clock/clock';
import type { MoonshineFiles } from '@voice/shared/local-models/local-models';
import { ownProcess } from '@voice/shared/process/own-process';

/** Unix sockets' paths are this long at most (`sun_path` of Linux and macOS, less the end). */
const LONGEST_SOCKET_PATH = 100;
/** A process that was started is given so long before another is, in ms. */
const START_AGAIN_MS = 3000;
const MOST_THREADS = 4;

/** Where the recogniser of a model is reached, and how it comes to be there. */
export interface Recogniser {
  readonly socketPath: string;
  /** Starts it unless that was done a moment ago; returns at once. */
  start(): void;
  /** Keeps the recogniser running between calls. Called when it is there. */
  keep(): void;
  /** The file with its output, to find out why it does not start. */
  readonly logPath: string | undefined;
}

/**
 * Runs the recogniser of a model on this machine, shared by all processes of the user: they find it by a Unix socket in
 * a directory that is the user's alone. It lives as long as anyone is connected.
 */
export class RecogniserProcess implements Recogniser {
  readonly socketPath: string;
  readonly logPath: string;
  readonly #files: MoonshineFiles;
  readonly #clock: Clock;
  #startedAt = Number.NEGATIVE_INFINITY;
  #hold: Socket | undefined;
  #closed = false;

  constructor(files: MoonshineFiles, clock: Clock) {
    this.#files = files;
    this.#clock = clock;
    // Another build of ours may speak otherwise: its recogniser is not this one's.
    const key = JSON.stringify([files.encoder, files.decoder, files.tokens, import.meta.url]);
    const name = `stt-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
    const dir = ownDirectory(name);
    this.socketPath = join(dir, `${name}.sock`);
    this.logPath = join(dir, `${name}.log`);
  }

  start(): void {
    if (this.#closed || this.#clock.monotonic() - this.#startedAt < START_AGAIN_MS) return;
    this.#startedAt = this.#clock.monotonic();
    const { entry, execArgv } = ownProcess(import.meta.url, './recogniser-main');
    const { encoder, decoder, tokens } = this.#files;
    const threads = Math.min(MOST_THREADS, Math.max(1, Math.floor(availableParallelism() / 2)));
    const log = openSync(this.logPath, 'w', 0o600);
    const child = spawn(
      process.execPath,
      [...execArgv, entry, this.socketPath, encoder, decoder, tokens, String(threads)],
      // Others may be using it when we end.
      { detached: true, stdio: ['ignore', log, log] },
    );
    child.on('error', () => {});
    child.unref();
    closeSync(log);
  }

  /** Keeps it running from now until `close`. */
  keep(): void {
    if (this.#hold || this.#closed) return;
    const socket = connect(this.socketPath);
    this.#hold = socket;
    socket.unref();
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#hold === socket) this.#hold = undefined;
    });
  }

  close(): void {
    this.#closed = true;
    this.#hold?.destroy();
  }
}

/** Creates a directory for sockets that nobody but this user can enter. */
function ownDirectory(name: string): string {
  const folder = `voice-agent-platform-${userInfo().uid}`;
  const base = join(tmpdir(), folder, `${name}.sock`).length > LONGEST_SOCKET_PATH ? '/tmp' : tmpdir();
  const dir = join(base, folder);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(dir);
  if (uid !== userInfo().uid || (mode & 0o077) !== 0) {
    throw new Error(`${dir} is not this user's alone. Remove it; the recogniser's socket lies there.`);
  }
  return dir;
}
