import { constants } from 'node:os';

/** A failure that the reader can do something about: what happened, and the remedy. */
export class SetupError extends Error {
  /**
   * @param {string} problem what happened, one sentence
   * @param {string} remedy what to do about it, one sentence
   */
  constructor(problem, remedy) {
    super(`${problem}\n  Remedy: ${remedy}`);
    this.name = 'SetupError';
  }
}

/** The reader stopped the set-up (Ctrl-C): reported in one sentence, with the exit code of the signal. */
export class Stopped extends SetupError {
  /** @param {NodeJS.Signals} signal */
  constructor(signal) {
    super(
      `Stopped by ${signal} before the set-up was finished; nothing was started.`,
      'run the same command again, and it goes on from here.',
    );
    this.exitCode = 128 + (constants.signals[signal] ?? 0);
  }
}

/**
 * Returns one clear sentence where the reader can mend the failure, else the whole stack.
 * @param {Error & { code?: string, path?: string }} error
 */
export function messageOf(error) {
  if (error instanceof SetupError) return error.message;
  if (['EACCES', 'EPERM', 'EROFS'].includes(error?.code ?? '')) {
    return (
      `${error.path ?? 'A file'} cannot be written by this user (${error.code}).\n` +
      '  Remedy: make the project’s folder writable for this user, or run the command as its owner.'
    );
  }
  return error?.stack ?? String(error);
}

/**
 * Prints progress to standard error: standard output belongs to the command that was asked for
 * (`npm run key` prints nothing there but the key).
 * @param {string} line
 */
export function notify(line) {
  process.stderr.write(`set-up: ${line}\n`);
}

/** @param {number} sinceMs epoch ms */
export function secondsSince(sinceMs) {
  return `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;
}
