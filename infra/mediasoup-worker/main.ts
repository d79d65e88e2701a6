import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { runProgram } from '@voice/shared/process/run-program';
import { readConfig } from './config.js';
import { obtain } from './obtain.js';

/**
 * `npm run mediasoup`, and the launcher's background build: brings mediasoup's worker into the cache. Ends with 0
 * when it is there, with 1 and the reason when it cannot be had.
 */
async function main(): Promise<number> {
  // Calls and tests go first; what is started from here inherits it.
  setPriority(constants.priority.PRIORITY_LOW);
  const stop = new AbortController();
  const onStop = () =>
    stop.abort(new Error('mediasoup’s worker is not finished; the next start begins anew'));
  process.once('SIGTERM', onStop).once('SIGINT', onStop).once('SIGHUP', onStop).once('disconnect', onStop);
  const notify = (line: string) => void process.stdout.write(`WebRTC: ${line}\n`);
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const binary = await obtain({ config: readConfig(), root, signal: stop.signal, notify });
  notify(`mediasoup’s worker is at ${binary}`);
  return 0;
}

runProgram(main, { name: 'WebRTC', lingers: true });
