import { createLog } from '@voice/shared/log/log';
import { type SimulatedCarrier, startSimulatedCarrier } from './carrier.js';
import { readConfig } from './config.js';

async function start(): Promise<SimulatedCarrier> {
  const config = readConfig(process.env);
  const log = createLog({ name: 'simulated-carrier', level: config.logLevel });
  try {
    const carrier = await startSimulatedCarrier({ ...config, log });
    log.info({ port: carrier.port, media: config.media }, 'simulated carrier serves');
    return carrier;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      throw new Error(
        `port ${config.port} is taken: set SIMULATED_CARRIER_PORT to another, or to 0 for a free one`,
      );
    }
    throw error;
  }
}

try {
  const carrier = await start();
  const stop = () => {
    carrier.close().then(() => process.exit(0));
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
  process.on('disconnect', stop);
  process.send?.({ type: 'ready', port: carrier.port });
} catch (error) {
  process.stderr.write(`simulated carrier: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
