import { runNode } from './child.mjs';
import { notify, SetupError, Stopped, secondsSince } from './messages.mjs';
import { DASHBOARD_BUILD, fromRoot } from './paths.mjs';

/**
 * Returns the signal that an exit code of a child stands for.
 * @param {number} code
 * @returns {'SIGINT' | 'SIGTERM' | undefined}
 */
function signalOf(code) {
  return code === 130 ? 'SIGINT' : code === 143 ? 'SIGTERM' : undefined;
}

/** What puts each compiled plane into few files, for a faster start of its process. */
export const BUNDLER = fromRoot('infra/dist/bundle/main.js');

/**
 * Compiles what has changed since the last time (and checks all types); a few ms when nothing has.
 * @param {{ bundle?: boolean }} [options] whether what starts again and again is bundled, too
 */
export async function build({ bundle = false } = {}) {
  const startedAt = Date.now();
  for (const args of [[fromRoot('node_modules/typescript/bin/tsc'), '-b'], [DASHBOARD_BUILD]]) {
    if (!(await runToItsEnd(args))) {
      throw new SetupError(
        'The project does not compile (the errors are above).',
        'mend them, or take a commit that does.',
      );
    }
  }
  if (bundle && !(await runToItsEnd([BUNDLER]))) {
    notify('the planes cannot be bundled (the reason is above): they start from single files, slower');
  }
  if (Date.now() - startedAt > 1000) notify(`built in ${secondsSince(startedAt)}`);
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<boolean>} whether it succeeded
 */
async function runToItsEnd(args) {
  const code = await runNode(args, { quiet: true });
  const signal = signalOf(code);
  if (signal) throw new Stopped(signal);
  return code === 0;
}
