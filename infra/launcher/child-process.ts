import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { processBirth } from './process-identity.js';

/** What is to be run. */
export interface ProcessSpec {
  readonly name: string;
  readonly role: 'store' | 'carrier' | 'control-plane' | 'worker';
  /** Path of the built entry. */
  readonly entry: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process that said that it serves. */
export interface RunningProcess {
  readonly spec: ProcessSpec;
  readonly pid: number;
  readonly birth: string | null;
  readonly port: number;
  /** Resolves when it has ended; never rejects. */
  readonly exited: Promise<Exit>;
  signal(name: NodeJS.Signals): void;
}

export interface StartOptions {
  readonly onLine: (line: string) => void;
  /** Called with the handle as soon as there is a process, so that it can be ended while it starts. */
  readonly onSpawned: (process: Pick<RunningProcess, 'spec' | 'exited' | 'signal'>) => void;
}

const READY_WITHIN_MS = 30_000;

/**
 * Starts a process and resolves when it serves. It runs in a process group of its own, so that a
 * terminal's Ctrl-C reaches the launcher alone, which then stops all in order; should the launcher die,
 * the closed IPC channel tells the process. Rejects with its last words when it ends before it serves.
 */
export function startProcess(spec: ProcessSpec, options: StartOptions): Promise<RunningProcess> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--enable-source-maps', spec.entry, ...spec.args],
    { env: spec.env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: true },
  );
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => resolve({ code: 1, signal: null }));
  });
  let lastWords = '';
  createInterface({ input: child.stdout! }).on('line', options.onLine);
  createInterface({ input: child.stderr! }).on('line', (line) => {
    if (line.trim() !== '') lastWords = line;
    options.onLine(line);
  });
  const handle = { spec, exited, signal: (name: NodeJS.Signals) => void child.kill(name) };
  options.onSpawned(handle);

  return new Promise((resolve, reject) => {
    const timeout = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`The ${spec.name} did not come up within ${READY_WITHIN_MS / 1000} s.`));
    }, READY_WITHIN_MS);
    child.on('message', (message) => {
      const port = readyPort(message);
      if (port === undefined || child.pid === undefined) return;
      clearTimeout(timeout);
      resolve({ ...handle, pid: child.pid, birth: processBirth(child.pid), port });
    });
    child.once('error', (cause) => {
      clearTimeout(timeout);
      reject(new Error(`The ${spec.name} could not be started: ${cause.message}`, { cause }));
    });
    // `close` comes after the last line of its output, `exit` may come before.
    child.once('close', (code, signal) => {
      clearTimeout(timeout);
      const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
      reject(new Error(`The ${spec.name} ${how} before it served${lastWords ? `: ${lastWords}` : '.'}`));
    });
  });
}

function readyPort(message: unknown): number | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  const { type, port } = message as { type?: unknown; port?: unknown };
  return type === 'ready' && typeof port === 'number' ? port : undefined;
}
