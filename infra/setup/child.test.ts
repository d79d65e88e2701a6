import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';

const CHILD = new URL('./child.mjs', import.meta.url).href;
/** What was started: it says that it runs, and that it was asked to stop. */
const PROGRAM = `
  process.on('SIGTERM', () => { console.log('asked to stop'); process.exit(0); });
  console.log('runs');
  setInterval(() => {}, 1000);`;
const STARTER = `
  import { run } from ${JSON.stringify(CHILD)};
  await run(process.execPath, ['-e', ${JSON.stringify(PROGRAM)}]);`;

it.each(['SIGTERM', 'SIGKILL'] as const)(
  'stops what it runs when npm’s shell, which passes no signal on, is ended by %s',
  async (signal) => {
    // A second command keeps the shell from becoming the first one itself.
    const shell = spawn('sh', ['-c', '"$0" --input-type=module -e "$1"; true', process.execPath, STARTER], {
      env: { ...process.env, npm_lifecycle_event: 'start' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    const closed = once(shell.stdout, 'close');
    await new Promise<void>((resolve) => {
      shell.stdout.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes('runs')) resolve();
      });
    });
    shell.kill(signal);
    // The stream closes when the last of them has gone.
    await closed;
    expect(said.trim().split('\n')).toEqual(['runs', 'asked to stop']);
  },
);
