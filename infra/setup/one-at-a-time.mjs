import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fromRoot } from './paths.mjs';
import { tell } from './tell.mjs';

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
  let told = false;
  while (!take()) {
    if (!told) tell('another set-up of this clone is running; waiting for it');
    told = true;
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
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (!holderLives()) rmSync(LOCK, { force: true });
    return false;
  }
}

function holderLives() {
  try {
    const pid = Number(readFileSync(LOCK, 'utf8'));
    // Empty for the moment between the making of the file and its writing.
    if (pid > 0) process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
