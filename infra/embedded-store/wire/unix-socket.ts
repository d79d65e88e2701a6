import { chmodSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';

/** What the address of a Unix socket may have, in bytes: Linux's 107 and one less than macOS's 104. */
const MAX_PATH_BYTES = 103;

/**
 * Listens on a Unix socket that only this user may open. Undefined where there cannot be one: its path is too long, or
 * the file system has no sockets (some that containers share with their host).
 */
export async function listenOnSocket(
  path: string,
  onConnection: (socket: Socket) => void,
): Promise<Server | undefined> {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return undefined;
  const server = createServer(onConnection);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
    chmodSync(path, 0o600);
    return server;
  } catch {
    server.close();
    return undefined;
  }
}
