import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that operating systems give to connections, and to who asks for any, on Linux from 32,768 on. */
const PORTS = { from: 20_000, count: 12_000 };
const TRIES = 100;

/**
 * Returns a port that nobody has, for a process that has to find it again when it comes back: while it is away, nobody is
 * given one of these by chance.
 */
export async function freePort(): Promise<number> {
  for (let left = TRIES; left > 0; left--) {
    const port = PORTS.from + randomInt(PORTS.count);
    if (await isFree(port)) return port;
  }
  throw new Error(`no port was free among ${TRIES} between ${PORTS.from} and ${PORTS.from + PORTS.count}`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, () => server.close(() => resolve(true)));
  });
}
