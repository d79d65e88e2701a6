import { spawn } from 'node:child_process';
import { constants, getPriority, setPriority } from 'node:os';
import { fromRoot, NODE, ROOT } from './paths.mjs';

/** Of what gives way to others: a third of their share where there is not enough for both. */
const YIELDING = 5;

/** @type {readonly NodeJS.Signals[]} */
const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** How often to look whether npm is still there, in ms. */
const PARENT_LOOK_MS = 500;

/**
 * Acts once when npm has gone: its shell does not pass signals on, so that ending npm by its process id
 * would leave us behind. Gives what stops the looking.
 * @param {() => void} act
 * @returns {() => void}
 */
function whenLeftBehind(act) {
  if (process.env.npm_lifecycle_event === undefined) return () => {};
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, PARENT_LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * `quiet`: its standard output goes to standard error. `ipc`: a channel whose end is the child's signal that we are gone.
 * `held`: its output is shown when it has ended, in one piece, because something else runs beside it. `yields`: it
 * and what it starts let the other processes of the machine go first.
 * @typedef {{ env?: NodeJS.ProcessEnv, quiet?: boolean, ipc?: boolean, held?: boolean, yields?: boolean }} RunOptions
 */

/**
 * Runs a program to its end with our standard streams; signals that reach us are passed on, so that the
 * child decides how to stop. Where a terminal sent Ctrl-C to the whole group, the child gets it twice
 * within moments, which it must take for one.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<number>} its exit code; 128 + signal where a signal ended it
 */
export function run(
  program,
  args,
  { env = {}, quiet = false, ipc = false, held = false, yields = false } = {},
) {
  return new Promise((resolve, reject) => {
    const output = held ? 'pipe' : 'inherit';
    /** @type {import('node:child_process').StdioOptions & unknown[]} */
    const streams = ['inherit', quiet ? process.stderr : output, output];
    /** @type {import('node:child_process').ChildProcess} */
    const child = spawn(program, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ipc ? [...streams, 'ipc'] : streams,
    });
    if (yields && child.pid !== undefined) {
      // A priority that is lower already may not be raised.
      setPriority(child.pid, Math.max(getPriority(), YIELDING));
    }
    /** @type {Buffer[]} */
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => said.push(chunk));
    /** @type {(() => void)[]} */
    const handlers = PASSED_ON.map((signal) => {
      const handler = () => void child.kill(signal);
      process.on(signal, handler);
      return () => {
        process.off(signal, handler);
      };
    });
    handlers.push(whenLeftBehind(() => child.kill('SIGTERM')));
    child.once('error', reject);
    const ended = (/** @type {number | null} */ code, /** @type {NodeJS.Signals | null} */ signal) => {
      for (const remove of handlers) remove();
      for (const chunk of said) process.stdout.write(chunk);
      resolve(signal ? 128 + (constants.signals[signal] ?? 0) : (code ?? 1));
    };
    // What is held is whole only when its streams have ended, too.
    child.once(held ? 'close' : 'exit', ended);
  });
}

/**
 * Runs a built file under the project's own Node.
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 */
export const runNode = (args, options = {}) =>
  run(NODE, ['--disable-warning=ExperimentalWarning', '--enable-source-maps', ...args], {
    ...options,
    // Compiled code is kept for the next start.
    env: { NODE_COMPILE_CACHE: fromRoot('.setup/compile-cache'), ...options.env },
  });
