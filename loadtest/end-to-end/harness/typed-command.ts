import { spawn } from 'node:child_process';
import { expect } from 'vitest';
import { INHERITED, ROOT } from '../../system/process.js';

interface Where {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/**
 * Runs a command in a shell as a reader types it, with all that it starts in a group of its own.
 *
 * @param where its working directory, else the root of the sources, and what its environment has besides the tests’ own
 */
export function type(command: string, { env = {}, cwd = ROOT }: Where = {}) {
  const child = spawn('sh', ['-c', command], {
    cwd,
    env: { ...INHERITED, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  const look = new Set<() => void>();
  const keep = (data: Buffer) => {
    output += data.toString();
    for (const again of look) again();
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, output }));
  });
  /** Resolves when the output has such a part; rejects when the command ends without one. */
  const said = (pattern: RegExp) =>
    Promise.race([
      new Promise<void>((resolve) => {
        const again = () => pattern.test(output) && resolve();
        look.add(again);
        again();
      }),
      ended.then(() => expect(output).toMatch(pattern)),
    ]);
  return { ended, said, interrupt: () => process.kill(-child.pid!, 'SIGINT') };
}
