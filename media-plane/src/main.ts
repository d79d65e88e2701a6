import { systemClock } from '@voice/shared/clock/clock';
import { createLog } from '@voice/shared/log/log';
import { readConfig } from './config.js';
import { startWorker, type Worker } from './worker.js';

async function main(): Promise<void> {
  const config = readConfig();
  const log = createLog({ name: config.workerId, level: config.logLevel });
  const worker = await startWorker(config, systemClock, log);
  log.info({ port: worker.port, capacity: config.capacity }, 'worker ready');
  process.send?.({ type: 'ready', port: worker.port });
  stopOnSignals(worker, (reason) => log.info({ reason }, 'draining'));
}

/** Drains at the first signal; a second one, or the launcher's end, hangs up at once. */
function stopOnSignals(worker: Worker, log: (reason: string) => void): void {
  let draining: Promise<void> | undefined;
  const stop = (reason: string) => {
    if (draining) {
      worker.endCalls();
      return;
    }
    log(reason);
    draining = worker.drain().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`the worker could not stop cleanly: ${String(error)}\n`);
        process.exit(1);
      },
    );
    if (reason === 'disconnect') worker.endCalls();
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  process.on('disconnect', () => stop('disconnect'));
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
