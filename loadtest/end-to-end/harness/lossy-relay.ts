import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { randomOf } from '../../system/seeded-random.js';

/**
 * Chooses the packets of one direction that are lost: of each ten, one by chance, where a tenth is lost. The share holds
 * for every word that is spoken, not only for the whole, so that what a test understands does not depend on its luck.
 */
export class PacketLoss {
  readonly #random = randomOf(1);
  #left = 0;
  #lostAt = 0;

  /** @param loss share of packets, 0..1 */
  isLost(loss: number): boolean {
    if (loss === 0) return false;
    if (this.#left === 0) {
      this.#left = Math.round(1 / loss);
      this.#lostAt = 1 + Math.floor(this.#random() * this.#left);
    }
    return this.#left-- === this.#lostAt;
  }

  /** Forgets the packets that are under way to the next loss: the share has changed. */
  restart(): void {
    this.#left = 0;
  }
}

/**
 * A UDP relay on loopback that loses packets on demand, in both directions: what no test may ask of the machine's
 * own network (`tc` needs root). Its port stands in the SDP answer in place of the server's; the server sees each
 * sender as one of the relay's sockets, which ICE takes as it takes any NAT.
 */
export class LossyRelay {
  readonly counters = { passed: 0, lost: 0 };
  readonly #front: Socket;
  readonly #target: { readonly address: string; readonly port: number };
  /** By the sender's address: the socket that the server knows it by. */
  readonly #backs = new Map<string, Socket>();
  readonly #toServer = new PacketLoss();
  readonly #toClient = new PacketLoss();
  #loss = 0;

  private constructor(front: Socket, target: { readonly address: string; readonly port: number }) {
    this.#front = front;
    this.#target = target;
    front.on('message', (packet, { address, port }) => {
      if (this.#isLost(this.#toServer)) return;
      this.#backOf(address, port).send(packet, target.port, target.address);
    });
  }

  static async open(target: { readonly address: string; readonly port: number }): Promise<LossyRelay> {
    const front = createSocket('udp4');
    front.bind(0, '127.0.0.1');
    await once(front, 'listening');
    return new LossyRelay(front, target);
  }

  /** Share of packets that are lost in each direction, 0..1. */
  set loss(loss: number) {
    this.#loss = loss;
    this.#toServer.restart();
    this.#toClient.restart();
  }

  get port(): number {
    return this.#front.address().port;
  }

  get target(): string {
    return `${this.#target.address}:${this.#target.port}`;
  }

  close(): void {
    this.#front.close();
    for (const back of this.#backs.values()) back.close();
  }

  #backOf(address: string, port: number): Socket {
    const key = `${address}:${port}`;
    let back = this.#backs.get(key);
    if (!back) {
      back = createSocket('udp4');
      back.bind(0, '127.0.0.1');
      back.on('message', (packet) => {
        if (!this.#isLost(this.#toClient)) this.#front.send(packet, port, address);
      });
      this.#backs.set(key, back);
    }
    return back;
  }

  #isLost(direction: PacketLoss): boolean {
    const lost = direction.isLost(this.#loss);
    this.counters[lost ? 'lost' : 'passed']++;
    return lost;
  }
}

/** Relays, one for each of the server's addresses that answers name. */
export class LossyRelays {
  readonly #relays = new Map<string, LossyRelay>();
  #loss = 0;

  set loss(loss: number) {
    this.#loss = loss;
    for (const relay of this.#relays.values()) relay.loss = loss;
  }

  get lost(): number {
    return [...this.#relays.values()].reduce((sum, { counters }) => sum + counters.lost, 0);
  }

  /** Gives the answer with its UDP candidates led through relays, and without the others. */
  async through(sdp: string): Promise<string> {
    const lines: string[] = [];
    for (const line of sdp.split('\r\n')) {
      const candidate = /^(a=candidate:\S+ \d+ )(udp|tcp)( \d+ )(\S+) (\d+)( .*)$/i.exec(line);
      if (!candidate) {
        lines.push(line);
        continue;
      }
      const [, begin, protocol, priority, address, port, rest] = candidate;
      if (protocol!.toLowerCase() !== 'udp' || address!.includes(':')) continue;
      const relay = await this.#relayTo(address!, Number(port));
      lines.push(`${begin}${protocol}${priority}127.0.0.1 ${relay.port}${rest}`);
    }
    return lines.join('\r\n');
  }

  close(): void {
    for (const relay of this.#relays.values()) relay.close();
  }

  async #relayTo(address: string, port: number): Promise<LossyRelay> {
    const key = `${address}:${port}`;
    let relay = this.#relays.get(key);
    if (!relay) {
      relay = await LossyRelay.open({ address, port });
      relay.loss = this.#loss;
      this.#relays.set(key, relay);
    }
    return relay;
  }
}
