import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { serveConnection } from './connection.js';
import { MAX_MESSAGE_BYTES } from './message.js';

/** A client's socket, whose data comes in the given pieces. */
function connected(): { socket: EventEmitter; isDestroyed: () => boolean } {
  let destroyed = false;
  const socket = Object.assign(new EventEmitter(), {
    setNoDelay() {},
    cork() {},
    uncork() {},
    write: () => true,
    destroy() {
      destroyed = true;
    },
  });
  serveConnection(socket as unknown as Socket, () => ({ ok: 1 }));
  return { socket, isDestroyed: () => destroyed };
}

const header = (length: number) => {
  const bytes = Buffer.alloc(16);
  bytes.writeInt32LE(length, 0);
  return bytes;
};

describe('a connection to the store', () => {
  it.each([0x7fffffff, MAX_MESSAGE_BYTES + 1, 15, -1])(
    'ends at a message of %i bytes that comes in pieces, and collects nothing of it',
    (length) => {
      const { socket, isDestroyed } = connected();
      socket.emit('data', header(length).subarray(0, 7));
      expect(isDestroyed()).toBe(false);
      socket.emit('data', header(length).subarray(7));
      expect(isDestroyed()).toBe(true);
    },
  );

  it('waits for the rest of a message that is possible', () => {
    const { socket, isDestroyed } = connected();
    socket.emit('data', header(MAX_MESSAGE_BYTES).subarray(0, 7));
    socket.emit('data', header(MAX_MESSAGE_BYTES).subarray(7));
    expect(isDestroyed()).toBe(false);
  });
});
