import { runProgram } from '@voice/shared/process/run-program';
import { readConfig } from './config.js';
import { obtainChromium } from './obtain.js';

/**
 * `npm run chromium`: brings Debian's Chromium, in which the dashboard is tested. Ends with 0 when a browser is there,
 * with 1 and the reason when none can be had.
 */
async function main(): Promise<number> {
  const stop = new AbortController();
  const onStop = () => stop.abort();
  process.once('SIGTERM', onStop).once('SIGINT', onStop).once('SIGHUP', onStop);
  const notify = (line: string) => void process.stdout.write(`Chromium: ${line}\n`);
  const path = await obtainChromium(readConfig(), {
    signal: stop.signal,
    onStep: (step) => notify(`${step} (306 MB, once)`),
  });
  notify(`the browser of the tests is ${path}`);
  return 0;
}

runProgram(main, { name: 'Chromium', lingers: true });
