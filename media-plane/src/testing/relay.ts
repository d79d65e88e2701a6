import { createServer, connect as dial, type Server, type Socket } from 'node:net';

/** Passes connections on to a server of this machine, and can let those that are open die unseen. */
export class Relay {
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #opened = 0;

  private constructor(port: number) {
    // Without delay: small messages would wait for one another's receipt, 40 ms each.
    this.#server = createServer({ noDelay: true }, (near) => {
      this.#opened += 1;
      const far = dial({ port, host: '127.0.0.1', noDelay: true });
      this.#pairs.add([near, far]);
      near.on('error', () => {}).on('close', () => far.destroy());
      far.on('error', () => {}).on('close', () => near.destroy());
      near.pipe(far).pipe(near);
    });
  }

  /** Starts one to the server at this port. */
  static async start(port: number): Promise<Relay> {
    const relay = new Relay(port);
    await new Promise<void>((resolve) => relay.#server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  /** Returns how many connections were opened. */
  get opened(): number {
    return this.#opened;
  }

  /** Returns its host and port. */
  get host(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('The relay does not listen');
    return `127.0.0.1:${address.port}`;
  }

  /** Loses what is sent over the connections that are open from now on, without a word to either side. */
  dieUnseen(): void {
    for (const [near, far] of this.#pairs) {
      near.unpipe(far).resume();
      far.unpipe(near).resume();
    }
  }

  async close(): Promise<void> {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
