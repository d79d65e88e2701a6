import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
  readonly onLine?: (line: string) => void;
}

export interface CommandResult {
  /** Null where the program is not there, or was ended. */
  readonly code: number | null;
  /** The last lines of both its streams. */
  readonly tail: string;
}

const TAIL_LINES = 30;

/** Runs a program to its end; never rejects. An abort ends it and what it started. */
export function runCommand(
  program: string,
  args: readonly string[],
  { cwd, env, signal, onLine }: CommandOptions = {},
): Promise<CommandResult> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve({ code: null, tail: 'stopped' });
      return;
    }
    // A group of its own, so that the compilers end with the builder that started them.
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const tail: string[] = [];
    const end = () => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGTERM');
      } catch {
        // It has ended already.
      }
    };
    signal?.addEventListener('abort', end, { once: true });
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        tail.push(line);
        if (tail.length > TAIL_LINES) tail.shift();
        onLine?.(line);
      });
    }
    const settle = (code: number | null, error?: string) => {
      signal?.removeEventListener('abort', end);
      resolve({ code, tail: error ?? tail.join('\n') });
    };
    child.once('error', (error) => settle(null, error.message));
    child.once('close', (code) => settle(code));
  });
}

/** Checks whether the program ends well. */
export async function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  return (await runCommand(program, args)).code === 0;
}
