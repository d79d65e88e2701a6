import { runNode } from './child.mjs';
import { fromRoot } from './paths.mjs';
import { SetupError, secondsSince, tell } from './tell.mjs';

/** Compiles what has changed since the last time (and checks all types); a few ms when nothing has. */
export async function build() {
  const startedAt = Date.now();
  const code = await runNode([fromRoot('node_modules/typescript/bin/tsc'), '-b'], { quiet: true });
  if (code !== 0) {
    throw new SetupError(
      'The project does not compile (the errors are above).',
      'mend them, or take a commit that does.',
    );
  }
  if (Date.now() - startedAt > 1000) tell(`built in ${secondsSince(startedAt)}`);
}
