import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { systemClock } from '@voice/shared/clock/clock';
import { z } from 'zod';
import { processBirth, processCpuMs } from '../installation/process-identity.js';
import { StartWatch } from './start-watch.js';

/** What is to be run. */
export interface ProcessSpec {
  readonly name: string;
  readonly role: 'store' | 'carrier' | 'control-plane' | 'worker';
  /** Path of the built entry. */
  readonly entry: string;
  /** Options of Node itself. */
  readonly nodeArgs?: readonly string[];
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
  /** Of a control plane's internal listener. */
  readonly internalPort: number | undefined;
  /** Resolves when it has ended; never rejects. */
  readonly exited: Promise<Exit>;
  signal(name: NodeJS.Signals): void;
}

export interface StartOptions {
  readonly onLine: (line: string) => void;
  /** Called with the handle as soon as there is a process, so that it can be ended while it starts. */
  readonly onSpawned: (process: Pick<RunningProcess, 'spec' | 'exited' | 'signal'>) => void;
}

/** What a process says to its parent: that its start has come a step further, or that it serves. */
const startMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress') }),
  z.object({ type: z.literal('ready'), port: z.number().int(), internal_port: z.number().int().optional() }),
]);

/**
 * Spawns what a specification says. It runs in a process group of its own, so that a terminal's Ctrl-C reaches the
 * launcher alone, which then stops all in order; should the launcher die, the closed IPC channel is its signal to end.
 */
export function spawnProcess(spec: ProcessSpec, nodeArgs: readonly string[] = []): ChildProcess {
  return spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      ...(spec.nodeArgs ?? []),
      ...nodeArgs,
      spec.entry,
      ...spec.args,
    ],
    { env: spec.env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: true },
  );
}

/**
 * Starts a process, or sees one through its start that is on its way, and resolves when it serves. Rejects with its last
 * words when it ends before it serves.
 */
export function startProcess(
  spec: ProcessSpec,
  options: StartOptions,
  child = spawnProcess(spec),
): Promise<RunningProcess> {
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => resolve({ code: 1, signal: null }));
  });
  let lastWords = '';
  let givenUp: string | undefined;
  const watch = new StartWatch({
    clock: systemClock,
    cpuMs: () => (child.pid === undefined ? undefined : processCpuMs(child.pid)),
    onGivenUp(reason) {
      givenUp = reason;
      child.kill('SIGKILL');
    },
  });
  const onLine = (line: string) => {
    watch.progress();
    options.onLine(line);
  };
  createInterface({ input: child.stdout! }).on('line', onLine);
  createInterface({ input: child.stderr! }).on('line', (line) => {
    if (line.trim() !== '') lastWords = line;
    onLine(line);
  });
  const handle = { spec, exited, signal: (name: NodeJS.Signals) => void child.kill(name) };
  options.onSpawned(handle);

  return new Promise((resolve, reject) => {
    child.on('message', (message) => {
      const { data } = startMessage.safeParse(message);
      if (data?.type === 'progress') watch.progress();
      if (data?.type !== 'ready' || child.pid === undefined) return;
      watch.stop();
      const { port, internal_port: internalPort } = data;
      resolve({ ...handle, pid: child.pid, birth: processBirth(child.pid), port, internalPort });
    });
    child.once('error', (cause) => {
      watch.stop();
      reject(new Error(`The ${spec.name} could not be started: ${cause.message}`, { cause }));
    });
    // `close` comes after the last line of its output, `exit` may come before.
    child.once('close', (code, signal) => {
      watch.stop();
      const how = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
      reject(
        new Error(
          givenUp
            ? `The ${spec.name} ${givenUp} and was ended.`
            : `The ${spec.name} ${how} before it served${lastWords ? `: ${lastWords}` : '.'}`,
        ),
      );
    });
  });
}
