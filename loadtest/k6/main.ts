import { runProgram } from '@voice/shared/process/run-program';
import { allowedCores, divideCores } from '../system/own-core.js';
import { findK6, K6_MISSING } from './k6-program.js';
import { readOptions, USAGE } from './options.js';
import { planLoad } from './plan.js';
import { loadReport } from './report/load-report.js';
import { writeReport } from './report/write-report.js';

/** Of a call, unless the run is shorter. */
const CALL_SECONDS = 60;

const notify = (line: string) =>
  void process.stderr.write(`${new Date().toISOString().slice(11, 19)} load: ${line}\n`);

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  const k6 = findK6({ path: process.env.PATH, home: process.env.HOME });
  if (k6 === undefined) {
    process.stderr.write(`load: ${K6_MISSING}\n`);
    return 1;
  }
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new Error('interrupted'));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const cores = options.ownCore ? divideCores(allowedCores()) : undefined;
  const common = { k6, cores, signal: interrupted.signal, notify };
  // The system is not loaded for help, or for an option that is none.
  if (options.command === 'capacity') {
    const { runCapacity } = await import('./capacity/run-capacity.js');
    const report = await runCapacity({ ...common, levels: options.levels, seconds: options.seconds });
    for (const path of writeReport('capacity', report)) notify(`written to ${path}`);
    return 0;
  }
  const plan = planLoad({ ...options, scenario: options.command });
  const callSeconds = options.callSeconds ?? Math.min(CALL_SECONDS, plan.seconds);
  const { runScenario } = await import('./run-scenario.js');
  const run = await runScenario({ ...common, name: options.command, plan, callSeconds });
  for (const path of writeReport(options.command, loadReport(run))) notify(`written to ${path}`);
  for (const threshold of run.crossed) notify(`NOT kept: ${threshold}`);
  notify(run.crossed.length === 0 ? 'done' : 'thresholds were not kept');
  return run.crossed.length === 0 ? 0 : 1;
}

runProgram(main, { name: 'load', lingers: true });
