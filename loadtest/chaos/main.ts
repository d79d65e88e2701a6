import { runProgram } from '@voice/shared/process/run-program';
import { readOptions, USAGE } from './options.js';

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), Math.floor(Math.random() * 2 ** 31));
  if (options === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  // What runs the system is not loaded for help, or for an option that is none.
  const { notify, runChaos } = await import('./run-chaos.js');
  let violations = 0;
  for (let n = 0; n < options.runs; n++) {
    const seed = options.seed + n;
    const findings = await runChaos({ ...options, seed });
    for (const finding of findings) notify(`NOT held: ${finding}`);
    notify(findings.length === 0 ? `held (seed ${seed})` : `NOT held; the same faults again: --seed ${seed}`);
    violations += findings.length;
  }
  return violations === 0 ? 0 : 1;
}

runProgram(main, { name: 'chaos', lingers: true });
