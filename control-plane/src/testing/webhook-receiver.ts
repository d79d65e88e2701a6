import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KEEP_ALIVE_MS } from './keep-alive.js';

/** What a receiver was sent. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly event: {
    readonly event_id: string;
    readonly event_type: string;
    readonly tenant_id: string;
    readonly sandbox: boolean;
    readonly occurred_at: number;
    readonly data: Record<string, unknown>;
  };
}

type Answer = (received: Received, response: ServerResponse) => void;

/** A tenant's server: keeps what it is sent and answers as the test says; 204 by default. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  answer: Answer = (_received, response) => response.writeHead(204).end();
  /** Requests under way now, and the most there ever were. */
  underWay = 0;
  mostAtOnce = 0;

  readonly #server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    void this.#take(request, response);
  });

  static async start(port = 0): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(port, '127.0.0.1', resolve));
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path = '/hook'): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.underWay++;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.underWay);
    response.once('close', () => {
      this.underWay--;
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const received = {
      path: request.url ?? '',
      headers: request.headers,
      body,
      event: JSON.parse(body) as Received['event'],
    };
    this.received.push(received);
    this.answer(received, response);
  }
}

/** Verifies as the specification asks of receivers (section 6: "Signature"); `now` in epoch ms. */
export function signatureHolds(
  { headers, body }: Pick<Received, 'headers' | 'body'>,
  secret: string,
  now: number,
): boolean {
  const parts = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-service-signature']));
  if (!parts || Math.abs(now / 1000 - Number(parts[1])) > 300) return false;
  const expected = createHmac('sha256', secret).update(`${parts[1]}.${body}`).digest();
  return timingSafeEqual(expected, Buffer.from(parts[2]!, 'hex'));
}
