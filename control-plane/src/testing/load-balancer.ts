import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { INTAKE_PATH } from '../app.js';
import { createHttpServer } from '../platform/http/server.js';

/** The listeners of a control plane. */
export interface Replica {
  readonly port: number;
  readonly internalPort: number;
}

export interface LoadBalancerOptions {
  /** The listeners that it stands before; without it both, by the path. */
  readonly before?: 'api' | 'internal';
  /** Of its own answer to what is no request. */
  readonly unreadableHeaders?: () => Readonly<Record<string, string>>;
}

/** Belong to one connection and not to the message (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = ['connection', 'keep-alive', 'transfer-encoding'];

function endToEndHeaders({ headersDistinct }: IncomingMessage): Record<string, string | string[]> {
  const kept: Record<string, string | string[]> = {};
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    if (!HOP_BY_HOP.includes(name)) kept[name] = values.length === 1 ? values[0]! : values;
  }
  return kept;
}

/**
 * What stands before the replicas of a test's control plane: one address, each request to the next replica
 * in turn, so that no two consecutive requests of anybody meet the same memory. It stands before one kind of
 * listener, or before both: then what is between the planes goes to the internal ones. Bodies are passed on as they
 * come; a side that breaks off breaks off the other.
 */
export class LoadBalancer {
  readonly #agent = new Agent({ keepAlive: true });
  #replicas: readonly Replica[] = [];
  #turn = 0;
  readonly #options: LoadBalancerOptions;
  readonly #server;

  private constructor(options: LoadBalancerOptions) {
    this.#options = options;
    // With the replicas' time-outs: a connection that they would keep is kept here, too.
    this.#server = createHttpServer(
      (incoming, answer) => this.#pass(incoming, answer),
      options.unreadableHeaders,
    );
    this.#server.on('upgrade', (incoming, client: Socket, head: Buffer) =>
      this.#passUpgrade(incoming, client, head),
    );
  }

  /** Listens on `port`; 0 takes a free one. */
  static async start(port = 0, options: LoadBalancerOptions = {}): Promise<LoadBalancer> {
    const balancer = new LoadBalancer(options);
    await new Promise<void>((resolve, reject) => {
      balancer.#server.once('error', reject);
      balancer.#server.listen(port, resolve);
    });
    return balancer;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** A replica that takes its turns from now on. */
  add({ port, internalPort }: Replica): void {
    this.#replicas = [...this.#replicas, { port, internalPort }];
  }

  /** A replica that is gone. */
  remove({ port }: Replica): void {
    this.#replicas = this.#replicas.filter((other) => other.port !== port);
  }

  /** The port of the next replica's listener that serves the path. */
  #nextPort(path = ''): number | undefined {
    const replica = this.#replicas[this.#turn++ % this.#replicas.length];
    const { before = path.startsWith('/internal/') && !INTAKE_PATH.test(path) ? 'internal' : 'api' } =
      this.#options;
    return before === 'internal' ? replica?.internalPort : replica?.port;
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** A WebSocket: the bytes of both sides, as they come. */
  #passUpgrade({ method, url, rawHeaders }: IncomingMessage, client: Socket, head: Buffer): void {
    const port = this.#nextPort(url);
    if (port === undefined) return void client.destroy();
    const lines = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}`] : []));
    const replica = connect(port, '127.0.0.1');
    replica.write(`${method} ${url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    replica.write(head);
    replica.pipe(client).pipe(replica);
    for (const [side, other] of [
      [replica, client],
      [client, replica],
    ] as const) {
      side.on('error', () => other.destroy());
      side.on('close', () => other.destroy());
    }
  }

  #pass(incoming: IncomingMessage, answer: ServerResponse): void {
    const port = this.#nextPort(incoming.url);
    if (port === undefined) return void answer.destroy();
    const passed = request({
      host: '127.0.0.1',
      port,
      agent: this.#agent,
      method: incoming.method,
      path: incoming.url,
      headers: endToEndHeaders(incoming),
    });
    passed.once('response', (reply) => {
      // Of a body that is not read to its end nothing more is taken.
      if (reply.headers.connection === 'close' && !incoming.complete) answer.shouldKeepAlive = false;
      answer.writeHead(reply.statusCode!, reply.statusMessage, endToEndHeaders(reply));
      // The first event of a stream must not wait for the second.
      answer.flushHeaders();
      reply.once('error', () => answer.destroy());
      reply.pipe(answer);
    });
    // A replica may answer and hang up before it has read the whole body.
    passed.on('error', () => {
      if (!answer.headersSent) answer.destroy();
    });
    incoming.once('error', () => passed.destroy());
    answer.once('close', () => passed.destroy());
    incoming.pipe(passed);
  }
}
