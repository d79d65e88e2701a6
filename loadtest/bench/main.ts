import { runProgram } from '@voice/shared/process/run-program';
import { readOptions, USAGE } from './options.js';

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (!options) {
    process.stdout.write(USAGE);
    return 0;
  }
  // What measures is not loaded for help, or for an option that is none.
  const { runBench } = await import('./run-bench.js');
  await runBench(options);
  return 0;
}

runProgram(main, { name: 'bench', lingers: true });
