import { setFlagsFromString } from 'node:v8';
import { systemClock } from '@voice/shared/clock/clock';
import { createLog } from '@voice/shared/log/log';
import { readConfig } from './config.js';
import { drainOnSignals } from './drain-on-signals.js';
import { StrayErrors } from './stray-errors.js';
import { startWorker } from './worker.js';

/**
 * A worker has one core. Young garbage is a few milliseconds' work, and spread over helper threads the call's thread
 * waits for whichever of them got no processor time: all calls stall at once, for tens of milliseconds on a busy machine.
 */
const COLLECT_ALONE = '--no-parallel-scavenge';

/**
 * What lives is looked through in small steps between the calls' frames. By helper threads beside them it takes as long
 * in all, and where they share the worker's core, four of them leave it a fifth: 300 calls stood still for 150 ms each
 * time that the whole heap was collected.
 */
const MARK_ALONE = '--no-concurrent-marking';

/**
 * Room for old objects in percent of those that live, until all of the heap is collected. V8 measures it by how fast a
 * process allocates: a worker does so slowly, got a few megabytes from its second minute on, and collected everything
 * every few seconds, though hardly anything of it was garbage.
 */
const COLLECT_SELDOM = '--heap-growing-percent=100';

async function main(): Promise<void> {
  setFlagsFromString(COLLECT_ALONE);
  setFlagsFromString(MARK_ALONE);
  setFlagsFromString(COLLECT_SELDOM);
  const config = readConfig();
  const log = createLog({
    name: config.workerId,
    level: config.logLevel,
    namesTraces: config.tracing !== undefined,
  });
  const strayErrors = new StrayErrors();
  const worker = await startWorker(config, { clock: systemClock, log, strayErrors });
  log.info({ port: worker.port, capacity: config.capacity }, 'worker ready');
  process.send?.({ type: 'ready', port: worker.port });
  const drain = drainOnSignals(process, {
    worker,
    notify: (reason) => log.info({ reason }, 'draining'),
    exit: (code, error) => {
      if (error !== undefined) process.stderr.write(`the worker could not stop cleanly: ${String(error)}\n`);
      process.exit(code);
    },
  });
  strayErrors.outlive(process, {
    clock: systemClock,
    log,
    drain: () => drain('too many errors that nothing caught', 1),
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
