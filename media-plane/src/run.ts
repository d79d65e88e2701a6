import { setFlagsFromString } from 'node:v8';
import { systemClock } from '@voice/shared/clock/clock';
import { createLog } from '@voice/shared/log/log';
import { readConfig } from './config.js';
import { StrayErrors } from './stray-errors.js';
import { startWorker, type Worker } from './worker.js';

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
  const drain = drainOnSignals(worker, (reason) => log.info({ reason }, 'draining'));
  strayErrors.outlive(process, {
    log,
    drain: () => drain('an error that nothing caught', 1),
    end: () => process.exit(1),
  });
}

/**
 * Drains at the first signal; a second one, or the launcher's end, hangs up at once. Returns what drains for another
 * reason, unless it does so already: the process ends with the given code.
 */
function drainOnSignals(
  worker: Worker,
  log: (reason: string) => void,
): (reason: string, code: number) => void {
  let draining: Promise<void> | undefined;
  const drain = (reason: string, code: number) => {
    if (draining) return;
    log(reason);
    draining = worker.drain().then(
      () => process.exit(code),
      (error: unknown) => {
        process.stderr.write(`the worker could not stop cleanly: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  const stop = (reason: string) => {
    if (draining || reason === 'disconnect') worker.endCalls();
    drain(reason, 0);
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  process.on('disconnect', () => stop('disconnect'));
  return drain;
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
