import { systemClock } from '@voice/shared/clock/clock';
import { createLog } from '@voice/shared/log/log';
import { ConfigurationError, configFromEnvironment } from './config.js';
import { startControlPlane } from './control-plane.js';

function isErrnoException(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error;
}

/** What an operator needs to read when the process cannot start. */
function startFailure(error: unknown, port: number | undefined): string {
  if (error instanceof ConfigurationError) return error.message;
  if (isErrnoException(error) && error.code === 'EADDRINUSE') {
    return `port ${port} is taken by another program: set PORT to a free one`;
  }
  if (isErrnoException(error) && error.code === 'EACCES') {
    return `port ${port} may not be opened by this user: set PORT to one above 1023`;
  }
  if (error instanceof Error && /^Mongo/.test(error.name)) {
    return `the store does not answer: check MONGODB_URI (${error.message})`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function main(): Promise<void> {
  let port: number | undefined;
  try {
    const config = configFromEnvironment();
    port = config.port;
    const log = createLog({ name: 'control-plane', level: config.logLevel });
    const running = await startControlPlane({ config, clock: systemClock, log, processMetrics: true });

    let stopping = false;
    const stop = (reason: string) => {
      if (stopping) return;
      stopping = true;
      log.info({ reason }, 'draining');
      running.close().then(
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

    log.info({ port: running.port, public_url: running.platform.publicUrl() }, 'ready');
    process.send?.({ type: 'ready', port: running.port });
  } catch (error) {
    process.stderr.write(`control plane: ${startFailure(error, port)}\n`);
    process.exit(1);
  }
}

await main();
