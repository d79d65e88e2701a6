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

/** Compiles what has changed since the last time (and checks all types); a few ms when nothing has. */
export async function build() {
  const startedAt = Date.now();
  for (const args of [[fromRoot('node_modules/typescript/bin/tsc'), '-b'], [DASHBOARD_BUILD]]) {
    const code = await runNode(args, { quiet: true });
    const signal = signalOf(code);
    if (signal) throw new Stopped(signal);
    if (code !== 0) {
      throw new SetupError(
        'The project does not compile (the errors are above).',
        'mend them, or take a commit that does.',
      );
    }
  }
  if (Date.now() - startedAt > 1000) notify(`built in ${secondsSince(startedAt)}`);
}
