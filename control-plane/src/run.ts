import { systemClock } from '@voice/shared/clock/clock';
import { createLog } from '@voice/shared/log/log';
import { type Config, configFromEnvironment } from './config.js';
import { type RunningControlPlane, startControlPlane } from './control-plane.js';
import { startFailure } from './start-failure.js';

/** What is under way at a stop has so long, in ms; where a process is ended from outside, that is after 45 s. */
const STOP_WITHIN_MS = 40_000;

async function main(): Promise<void> {
  let config: Config | undefined;
  let running: RunningControlPlane | undefined;
  const givenUp = new AbortController();
  try {
    config = configFromEnvironment();
    const log = createLog({
      name: 'control-plane',
      level: config.logLevel,
      namesTraces: config.tracing !== undefined,
    });
    let stopping = false;
    const stop = (reason: string) => {
      if (stopping) return;
      stopping = true;
      log.info({ reason }, running ? 'draining' : 'the start is given up');
      givenUp.abort();
      systemClock.schedule(STOP_WITHIN_MS, () => {
        log.error({ reason }, 'what was under way did not end in time');
        process.exit(1);
      });
      running?.close().then(
        () => process.exit(0),
        (err: unknown) => {
          log.error({ err }, 'drain failed');
          process.exit(1);
        },
      );
    };
    process.once('SIGTERM', () => stop('SIGTERM'));
    process.once('SIGINT', () => stop('SIGINT'));
    process.once('disconnect', () => stop('parent gone'));

    running = await startControlPlane({
      config,
      clock: systemClock,
      log,
      processMetrics: true,
      followsStoreTime: true,
      onProgress: () => process.send?.({ type: 'progress' }),
      onListening: ({ port }) => log.info({ port }, 'listening; ready when the store is up to date'),
      signal: givenUp.signal,
    });

    const { port, internalPort } = running;
    log.info({ port, internal_port: internalPort, public_url: running.platform.publicUrl() }, 'ready');
    process.send?.({ type: 'ready', port, internal_port: internalPort });
  } catch (error) {
    if (givenUp.signal.aborted) process.exit(0);
    process.stderr.write(`control plane: ${startFailure(error, config)}\n`);
    process.exit(1);
  }
}

await main();
