import type { Socket } from 'node:net';
import { MongoNetworkError } from 'mongodb';
import utils from 'mongodb/lib/utils.js';

const { once } = utils;

/** As the driver waits, and no longer than the socket lives. */
async function onceOrClosed(socket: Socket, event: string, options?: object): Promise<unknown> {
  const ended = () => new MongoNetworkError('The connection ended while a command was being sent.');
  if (socket.destroyed) throw ended();
  let onClose = () => {};
  const closed = new Promise<never>((_resolve, reject) => {
    onClose = () => reject(ended());
    socket.once('close', onClose);
  });
  try {
    return await Promise.race([once(socket, event, options), closed]);
  } finally {
    socket.off('close', onClose);
  }
}

/**
 * Lets a command fail with its connection while it is being sent. The driver (7.8, `Connection.writeCommand`) waits for
 * a socket that takes no more at the moment until it drains, which one that is destroyed never does: a command that
 * is larger than the system's buffers waited for ever for a store that froze, and with it all that had been gathered
 * behind it, and the end of the process.
 */
export function failWhatIsBeingSent(): void {
  utils.once = onceOrClosed;
}
