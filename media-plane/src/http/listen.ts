import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import { freePort } from '@voice/shared/listen/free-port';

/** uWebSockets.js takes host, port and options together, though its types do not say so. */
type ListenOnHost = (
  host: string,
  port: number,
  options: number,
  onListening: (socket: us_listen_socket | false) => void,
) => void;

/** Without it two workers would share a port in silence (`LIBUS_LISTEN_EXCLUSIVE_PORT`). */
const EXCLUSIVE_PORT = 1;
/** How many free ports are tried, as another process may take one first. */
const TRIES = 10;

interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Listens; at port 0 on a free one. uWebSockets.js sets SO_REUSEADDR for a port that it is given, not for one that the
 * system chooses: then connections of a worker that was killed would keep its port from its successor for a minute.
 * @throws Error with a plain text when the port is taken
 */
export async function listen(app: TemplatedApp, { host, port }: Address): Promise<us_listen_socket> {
  for (let left = port === 0 ? TRIES : 1; left > 0; left--) {
    const socket = await listenAt(app, { host, port: port === 0 ? await freePort() : port });
    if (socket) return socket;
  }
  const remedy = 'Choose another with MEDIA_PORT, or stop what uses it.';
  throw new Error(`Port ${port} of ${host} is taken. ${remedy}`);
}

function listenAt(app: TemplatedApp, { host, port }: Address): Promise<us_listen_socket | false> {
  const listenOnHost = app.listen.bind(app) as unknown as ListenOnHost;
  return new Promise((resolve) => listenOnHost(host, port, EXCLUSIVE_PORT, resolve));
}
