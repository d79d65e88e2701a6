import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { SPOKEN_TEXTS } from '@voice/shared/local-voice/testing/kept-voice';

/** From the sources as from what is built of them. */
const UP = import.meta.url.includes('/loadtest/dist/') ? '../../../' : '../../';
export const ROOT = fileURLToPath(new URL(UP, import.meta.url));
const NODE = `${ROOT}node_modules/node/bin/node`;
/** On a machine that others keep busy, too. */
const READY_WITHIN_MS = 120_000;

export interface Program {
  /** Built file, relative to the root. */
  readonly entry: string;
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** A command that becomes it, with its arguments: `ip netns exec NAME`. */
  readonly through?: readonly string[];
  /** A file that its lines are added to, for other processes to read. */
  readonly outputFile?: string;
}

/** The same on every machine, whatever models its user has installed; what is said again and again is made once. */
const LOCAL_SPEECH = {
  LOCAL_STT_MODEL: 'off',
  LOCAL_TTS_MODEL: 'off',
  LOCAL_TURN_MODEL: 'off',
  LOCAL_TTS_CACHE: SPOKEN_TEXTS,
};

const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
/** Of the environment of the tests, which may hold keys of vendors; compiled code is kept for the next start, as by `npm start`. */
export const INHERITED = { PATH, HOME, ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}) };

/** A process of the system under test. */
export class TestProcess {
  readonly lines: string[] = [];
  readonly errorLines: string[] = [];
  /** Resolves with the exit code (null where a signal ended it). */
  readonly exited: Promise<number | null>;
  readonly #child: ChildProcess;
  #port: number | undefined;
  readonly #ready: Promise<void>;

  constructor({ entry, args = [], env = {}, through = [], outputFile }: Program) {
    const [program = NODE, ...first] = [...through, NODE];
    this.#child = spawn(
      program,
      [...first, '--disable-warning=ExperimentalWarning', `${ROOT}${entry}`, ...args],
      {
        cwd: ROOT,
        env: { ...INHERITED, NO_COLOR: '1', ...LOCAL_SPEECH, ...env },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      },
    );
    const keep = (lines: string[]) => (line: string) => {
      lines.push(line);
      if (outputFile !== undefined) appendFileSync(outputFile, `${line}\n`);
    };
    createInterface({ input: this.#child.stdout! }).on('line', keep(this.lines));
    createInterface({ input: this.#child.stderr! }).on('line', keep(this.errorLines));
    this.exited = new Promise((resolve) => this.#child.once('close', (code) => resolve(code)));
    this.#ready = new Promise((resolve) => {
      this.#child.on('message', (message: { type?: string; port?: number }) => {
        if (message.type !== 'ready') return;
        this.#port = message.port;
        resolve();
      });
    });
  }

  /** Resolves when it serves; rejects with what it said when it does not. */
  async ready(): Promise<this> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), READY_WITHIN_MS);
    });
    const outcome = await Promise.race([this.#ready, this.exited, late]);
    clearTimeout(timer);
    if (this.#port !== undefined) return this;
    this.signal('SIGKILL');
    throw new Error(
      `not up (${String(outcome)}):\n${[...this.lines, ...this.errorLines].slice(-30).join('\n')}`,
    );
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get port(): number {
    return this.#port!;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Asks it to end, and kills it when it does not. */
  async stop(withinMs = 15_000): Promise<number | null> {
    this.signal('SIGTERM');
    const timer = setTimeout(() => this.signal('SIGKILL'), withinMs);
    const code = await this.exited;
    clearTimeout(timer);
    return code;
  }
}

/** Runs a program to its end. */
export async function runToEnd(
  program: Program,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const run = new TestProcess(program);
  const code = await run.exited;
  return { code, stdout: run.lines.join('\n'), stderr: run.errorLines.join('\n') };
}
