import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/**
 * A UDP relay on loopback that loses packets on demand, in both directions: what no test may ask of the machine's
 * own network (`tc` needs root). Its port stands in the SDP answer in place of the server's; the server sees each
 * sender as one of the relay's sockets, which ICE takes as it takes any NAT.
 */
export class LossyRelay {
  /** Share of packets that are lost, 0..1. */
  loss = 0;
  readonly counters = { passed: 0, lost: 0 };
  readonly #front: Socket;
  readonly #target: { readonly address: string; readonly port: number };
  /** By the sender's address: the socket that the server knows it by. */
  readonly #backs = new Map<string, Socket>();
  #seed = 1;

  private constructor(front: Socket, target: { readonly address: string; readonly port: number }) {
    this.#front = front;
    this.#target = target;
    front.on('message', (packet, { address, port }) => {
      if (this.#isLost()) return;
      this.#backOf(address, port).send(packet, target.port, target.address);
    });
  }

  static async open(target: { readonly address: string; readonly port: number }): Promise<LossyRelay> {
    const front = createSocket('udp4');
    front.bind(0, '127.0.0.1');
    await once(front, 'listening');
    return new LossyRelay(front, target);
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
        if (!this.#isLost()) this.#front.send(packet, port, address);
      });
      this.#backs.set(key, back);
    }
    return back;
  }

  /** The same packets of the same sequence are lost in every run (Park and Miller's numbers). */
  #isLost(): boolean {
    this.#seed = (this.#seed * 16_807) % 2_147_483_647;
    const lost = this.#seed / 2_147_483_647 < this.loss;
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
