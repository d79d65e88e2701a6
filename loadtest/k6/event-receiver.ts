import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { readBody } from '../emulators/serving/http-server.js';

const envelope = z.object({ data: z.looseObject({ call_id: z.string().optional() }) });

/** Remembered at most, so that an hour of load does not fill the memory. */
const KEPT = 20_000;

/** Takes webhook deliveries, and says when the first one of a call has arrived. */
export class EventReceiver {
  readonly #arrivals = new Map<string, number>();
  received = 0;
  readonly #server = createServer(async (request, response) => {
    const id = /^\/received\/([\w-]+)$/.exec(request.url ?? '')?.[1];
    if (id !== undefined) {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ arrived_at: this.#arrivals.get(id) ?? null }));
      return;
    }
    const arrivedAt = Date.now();
    const { data } = envelope.parse(JSON.parse((await readBody(request)).toString('utf8')));
    this.#take(data.call_id, arrivedAt);
    response.writeHead(200).end();
  });

  static async start(): Promise<EventReceiver> {
    const receiver = new EventReceiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #take(callId: string | undefined, at: number): void {
    this.received += 1;
    if (callId === undefined || this.#arrivals.has(callId)) return;
    this.#arrivals.set(callId, at);
    if (this.#arrivals.size <= KEPT) return;
    const [oldest] = this.#arrivals.keys();
    this.#arrivals.delete(oldest!);
  }
}
