import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP link on loopback that can be severed, as a network between two machines is: nothing passes until it is mended. */
export class SeverableLink {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isSevered = false;

  private constructor(target: URL) {
    this.#server = createServer((near) => {
      if (this.#isSevered) {
        near.destroy();
        return;
      }
      const far = connect(Number(target.port), target.hostname);
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(from);
        from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
      }
    });
  }

  static async to(url: string): Promise<SeverableLink> {
    const link = new SeverableLink(new URL(url));
    await new Promise<void>((resolve) => link.#server.listen(0, '127.0.0.1', resolve));
    return link;
  }

  /** What stands for the target at this end. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  sever(): void {
    this.#isSevered = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isSevered = false;
  }

  close(): void {
    this.sever();
    this.#server.close();
  }
}
