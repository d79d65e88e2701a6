import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { readBody } from '../emulators/serving/http-server.js';
import type { EventEvidence } from './audit.js';

const envelope = z.object({
  event_id: z.string(),
  event_type: z.string(),
  data: z.looseObject({ call_id: z.string().optional() }),
});

/** Takes every webhook delivery, and remembers its event. */
export class WebhookSink {
  readonly events: EventEvidence[] = [];
  readonly #server = createServer(async (request, response) => {
    const content = await readBody(request);
    const { event_id, event_type, data } = envelope.parse(JSON.parse(content.toString('utf8')));
    this.events.push({ eventId: event_id, type: event_type, callId: data.call_id ?? null });
    response.writeHead(200).end();
  });

  static async start(): Promise<WebhookSink> {
    const sink = new WebhookSink();
    await new Promise<void>((resolve) => sink.#server.listen(0, '127.0.0.1', resolve));
    return sink;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/events`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
