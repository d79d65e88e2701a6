import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { LossyRelays, PacketLoss } from './lossy-relay.js';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Gives a server that sends back what comes. */
async function echo() {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.on('message', (packet, { address, port }) => socket.send(packet, port, address));
  closing.push(() => socket.close());
  return socket.address().port;
}

async function client(port: number) {
  const socket = createSocket('udp4');
  let received = 0;
  socket.on('message', () => received++);
  closing.push(() => socket.close());
  return async (count: number) => {
    received = 0;
    for (let n = 0; n < count; n++) {
      socket.send(Buffer.from([n]), port, '127.0.0.1');
      // A socket's buffer is small.
      if (n % 20 === 0) await sleep(1);
    }
    await sleep(100);
    return received;
  };
}

describe('the lossy relay', () => {
  it('loses one of each ten packets where a tenth is lost, not always the same; all, or none', () => {
    const packets = new PacketLoss();
    const lostOf = (count: number, loss: number) =>
      Array.from({ length: count }, (_, n) => (packets.isLost(loss) ? [n] : [])).flat();
    expect(lostOf(10, 0)).toEqual([]);
    const lost = lostOf(200, 0.1);
    expect(lost.map((n) => Math.floor(n / 10))).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(new Set(lost.map((n) => n % 10)).size).toBeGreaterThan(3);
    expect(lostOf(5, 1)).toHaveLength(5);
  });

  it('stands in the answer in place of the server, for UDP alone', async () => {
    const relays = new LossyRelays();
    closing.push(() => relays.close());
    const port = await echo();
    const sdp = [
      'v=0',
      `a=candidate:udp 1 udp 1076302079 127.0.0.1 ${port} typ host`,
      `a=candidate:tcp 1 tcp 1076276479 127.0.0.1 ${port} typ host tcptype passive`,
      'a=end-of-candidates',
    ].join('\r\n');
    const led = await relays.through(sdp);
    const led2 = await relays.through(sdp);
    expect(led2).toBe(led);
    const [first, candidate, last, ...more] = led.split('\r\n');
    expect([first, last, more]).toEqual(['v=0', 'a=end-of-candidates', []]);
    const relayPort = Number(
      /^a=candidate:udp 1 udp 1076302079 127\.0\.0\.1 (\d+) typ host$/.exec(candidate!)![1],
    );
    expect(relayPort).not.toBe(port);

    const exchange = await client(relayPort);
    expect(await exchange(100)).toBe(100);
    relays.loss = 0.1;
    const kept = await exchange(500);
    // Lost on the way there or back: 19 of 100.
    expect(kept).toBeGreaterThan(350);
    expect(kept).toBeLessThan(450);
    relays.loss = 1;
    expect(await exchange(20)).toBe(0);
  });
});
