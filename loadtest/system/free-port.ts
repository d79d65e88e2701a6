import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that the operating system gives to others at any moment, on Linux from 32,768 on. */
const PORTS = { from: 20_000, count: 12_000 };

/** Returns a port that nobody has, for a process that keeps it over a restart. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORTS.from + randomInt(PORTS.count);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}
