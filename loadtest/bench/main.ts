import { readOptions, USAGE } from './options.js';

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (!options) {
    process.stdout.write(USAGE);
    return;
  }
  // What measures is not loaded for help, or for an option that is none.
  const { runBench } = await import('./run-bench.js');
  await runBench(options);
}

main().then(
  // The rendering voice and keep-alive sockets may linger.
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
