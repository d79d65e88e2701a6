import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readBody } from '../emulators/serving/http-server.js';

const CALL_ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/;

/** Stands before the carrier's REST API, and notes when it is asked to dial for which call. */
export class DialWitness {
  /** By call id, by the monotonic clock in ms. */
  readonly dialedAt = new Map<string, number>();
  readonly #server: Server;

  private constructor(carrier: string) {
    const { hostname, port } = new URL(carrier);
    this.#server = createServer((request, response) => {
      const { method, url = '', headers } = request;
      void readBody(request).then((body) => {
        const callId = CALL_ID.exec(decodeURIComponent(body.toString('utf8')))?.[0];
        if (method === 'POST' && /\/Calls\.json$/.test(url) && callId) {
          this.dialedAt.set(callId, performance.now());
        }
        const onward = httpRequest({ hostname, port, method, path: url, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        });
        onward.on('error', () => response.writeHead(502).end());
        onward.end(body);
      });
    });
  }

  static async start(carrier: string): Promise<DialWitness> {
    const witness = new DialWitness(carrier);
    await new Promise<void>((resolve) => witness.#server.listen(0, '127.0.0.1', resolve));
    return witness;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
