import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { readBody } from '../emulators/serving/http-server.js';
import type { EventEvidence } from './audit.js';

const envelope = z.object({
  event_id: z.string(),
  event_type: z.string(),
  data: z.looseObject({ call_id: z.string().optional() }),
});

/** One event in so many is refused when it comes for the first time, as by a receiver that is being deployed. */
const REFUSES_ONE_IN = 8;

/** Takes webhook deliveries, and remembers what came: event, body, signature. */
export class WebhookSink {
  readonly events: EventEvidence[] = [];
  /** Refused once, by event id; it must come again. */
  readonly refused = new Set<string>();
  /** The subscription's secret, once there is one. */
  secret = '';
  /** Whether some events are refused at first. */
  #isDeployed = true;
  readonly #server = createServer(async (request, response) => {
    const content = await readBody(request);
    const {
      event_id: eventId,
      event_type: type,
      data,
    } = envelope.parse(JSON.parse(content.toString('utf8')));
    const body = createHash('sha256').update(content).digest('hex');
    if (!this.#isDeployed && !this.refused.has(eventId) && isUnlucky(eventId)) {
      this.refused.add(eventId);
      response.writeHead(503).end();
      return;
    }
    const isSigned = isSignedBy(this.secret, request.headers, content);
    this.events.push({ eventId, type, callId: data.call_id ?? null, body, isSigned });
    response.writeHead(200).end();
  });

  /** `beingDeployed`: some events are refused when they come for the first time. */
  static async start({ beingDeployed = false } = {}): Promise<WebhookSink> {
    const sink = new WebhookSink();
    sink.#isDeployed = !beingDeployed;
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

const isUnlucky = (eventId: string) => Number.parseInt(sha(eventId).slice(0, 8), 16) % REFUSES_ONE_IN === 0;
const sha = (text: string) => createHash('sha256').update(text).digest('hex');

/** Whether some header is `t=<seconds>,v1=<hex>` with HMAC-SHA256 under the secret over `<t>.<body>`. */
function isSignedBy(secret: string, headers: IncomingHttpHeaders, content: Buffer): boolean {
  return Object.entries(headers).some(([name, value]) => {
    if (!name.endsWith('-signature') || typeof value !== 'string') return false;
    const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(value) ?? [];
    return v1 === createHmac('sha256', secret).update(`${t}.`).update(content).digest('hex');
  });
}
