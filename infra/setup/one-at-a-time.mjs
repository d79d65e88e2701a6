import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { notify } from './messages.mjs';
import { fromRoot } from './paths.mjs';

const LOCK = fromRoot('.setup/lock');

/**
 * Runs `task` while no other set-up of this clone runs: `npm run key` in a second terminal waits for the
 * first `npm start` to finish installing.
 * @template T
 * @param {() => Promise<T>} task
 * @returns {Promise<T>}
 */
export async function oneAtATime(task) {
  mkdirSync(fromRoot('.setup'), { recursive: true });
  let notified = false;
  while (!take()) {
    if (!notified) notify('another set-up of this clone is running; waiting for it');
    notified = true;
    await sleep(200);
  }
  const free = () => rmSync(LOCK, { force: true });
  process.once('exit', free);
  try {
    return await task();
  } finally {
    process.off('exit', free);
    free();
  }
}

function take() {
  try {
    writeFileSync(LOCK, `${process.pid} ${birth(process.pid)}`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (!holderLives()) rmSync(LOCK, { force: true });
    return false;
  }
}

/** @param {unknown} error of the file system or of a signal */
const codeOf = (error) => (error instanceof Error && 'code' in error ? error.code : undefined);

function holderLives() {
  try {
    const [pid, born] = readFileSync(LOCK, 'utf8').split(' ');
    // Empty for the moment between the making of the file and its writing.
    if (!pid) return true;
    process.kill(Number(pid), 0);
    return birth(Number(pid)) === born;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/**
 * When the process began (proc_pid_stat(5), field 22): distinguishes it from a later one of the same number.
 * @param {number} pid
 */
function birth(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return 'unknown';
  }
}
