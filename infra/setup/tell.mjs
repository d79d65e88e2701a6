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

/**
 * Progress goes to standard error: standard output belongs to the command that was asked for
 * (`npm run key` prints nothing there but the key).
 * @param {string} line
 */
export function tell(line) {
  process.stderr.write(`set-up: ${line}\n`);
}

/** @param {number} sinceMs epoch ms */
export function secondsSince(sinceMs) {
  return `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;
}
