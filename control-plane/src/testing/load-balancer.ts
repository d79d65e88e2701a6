import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpServer } from '../http/server.js';

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
 * in turn, so that no two consecutive requests of anybody meet the same memory. Bodies are passed on as
 * they come; a side that breaks off breaks off the other.
 */
export class LoadBalancer {
  readonly #agent = new Agent({ keepAlive: true });
  #ports: readonly number[] = [];
  #turn = 0;
  /** With the replicas' time-outs: a connection that they would keep is kept here, too. */
  readonly #server = createHttpServer((incoming, answer) => this.#pass(incoming, answer));

  private constructor() {}

  /** Listens on `port`; 0 takes a free one. */
  static async start(port = 0): Promise<LoadBalancer> {
    const balancer = new LoadBalancer();
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
  add(port: number): void {
    this.#ports = [...this.#ports, port];
  }

  /** A replica that is gone. */
  remove(port: number): void {
    this.#ports = this.#ports.filter((other) => other !== port);
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #pass(incoming: IncomingMessage, answer: ServerResponse): void {
    const port = this.#ports[this.#turn++ % this.#ports.length];
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
