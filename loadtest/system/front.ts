import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';

/** A load balancer: each connection goes to the next replica that is in service. */
export class Front {
  readonly #replicas: number[] = [];
  #next = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Front> {
    const server = createServer();
    const front = new Front(server);
    server.on('connection', (client) => {
      const port = front.#replicas[front.#next++ % front.#replicas.length];
      if (port === undefined) {
        client.destroy();
        return;
      }
      const upstream = connect(port, '127.0.0.1');
      client.pipe(upstream).pipe(client);
      client.on('error', () => upstream.destroy());
      upstream.on('error', () => client.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return front;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  add(port: number): void {
    this.#replicas.push(port);
  }

  remove(port: number): void {
    this.#replicas.splice(this.#replicas.indexOf(port), 1);
  }

  close(): void {
    this.server.close();
  }
}
