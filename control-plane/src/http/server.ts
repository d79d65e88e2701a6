import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@voice/shared/clock/clock';

/** How long live requests may take to finish once a stop was asked for, in ms. */
export const DRAIN_LIMIT_MS = 25_000;
/** How often connections that became idle during the drain are closed, in ms. */
const SWEEP_MS = 50;
/** Longer than the idle time-out of usual load balancers (60 s), so that they, not we, close first. */
const KEEP_ALIVE_MS = 65_000;

export function createHttpServer(listener: RequestListener): Server {
  return createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: 20_000, requestTimeout: 120_000 },
    listener,
  );
}

/** Resolves with the port that was taken; rejects with the system's error (EADDRINUSE, EACCES). */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Accepts nothing more, lets live requests finish for at most `DRAIN_LIMIT_MS`, then cuts them. */
export function drain(server: Server, clock: Clock): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    let sweep = clock.schedule(0, function close() {
      server.closeIdleConnections();
      sweep = clock.schedule(SWEEP_MS, close);
    });
    const limit = clock.schedule(DRAIN_LIMIT_MS, () => server.closeAllConnections());
    server.close(() => {
      sweep.cancel();
      limit.cancel();
      resolve();
    });
  });
}
