import { systemClock } from '@voice/shared/clock/clock';
import { ConfigurationError } from '@voice/shared/environment/environment';
import { createLog } from '@voice/shared/log/log';
import { type Config, configFromEnvironment } from './config.js';
import { startControlPlane } from './control-plane.js';

/** What Node says of an address that it cannot listen on. */
interface ListenError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
}

function isErrnoException(error: unknown): error is ListenError {
  return error instanceof Error && 'code' in error;
}

/** Returns what an operator needs to read when the process cannot start. */
function startFailure(error: unknown, config: Config | undefined): string {
  if (error instanceof ConfigurationError) return error.message;
  const refused = config && isErrnoException(error) && error.syscall === 'listen' ? error : undefined;
  const isInternal = refused?.port !== undefined && refused.port !== config?.port;
  const [portName, hostName] = isInternal ? ['INTERNAL_PORT', 'INTERNAL_HOST'] : ['PORT', 'HOST'];
  switch (refused?.code) {
    case 'EADDRINUSE':
      return `port ${refused.port} is taken by another program: set ${portName} to a free one`;
    case 'EACCES':
      return `port ${refused.port} may not be opened by this user: set ${portName} to one above 1023`;
    case 'EADDRNOTAVAIL':
      return `${refused.address} is no address of this machine: set ${hostName} to one that is, or to 0.0.0.0 for all`;
  }
  if (error instanceof Error && /^Mongo/.test(error.name)) {
    return `the store does not answer: check MONGODB_URI (${error.message})`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

async function main(): Promise<void> {
  let config: Config | undefined;
  try {
    config = configFromEnvironment();
    const log = createLog({
      name: 'control-plane',
      level: config.logLevel,
      namesTraces: config.tracing !== undefined,
    });
    const running = await startControlPlane({
      config,
      clock: systemClock,
      log,
      processMetrics: true,
      followsStoreTime: true,
      onProgress: () => process.send?.({ type: 'progress' }),
    });

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

    const { port, internalPort } = running;
    log.info({ port, internal_port: internalPort, public_url: running.platform.publicUrl() }, 'ready');
    process.send?.({ type: 'ready', port, internal_port: internalPort });
  } catch (error) {
    process.stderr.write(`control plane: ${startFailure(error, config)}\n`);
    process.exit(1);
  }
}

await main();
