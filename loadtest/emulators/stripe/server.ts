import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { listen, type RunningEmulator, readBody, requestUrl } from '../serving/http-server.js';
import { type PaymentMethod, type PortalSession, StripeAccount, stripeId } from './account.js';
import { checkParams, type Endpoint, type EndpointContext } from './endpoint.js';
import { ENDPOINTS } from './endpoints.js';
import { noSuch, StripeRefusal } from './errors.js';
import { type Form, parseForm } from './form.js';
import { IdempotentReplies, type StoredReply } from './idempotent-replies.js';
import { deliver, eventOf, type StripeEvent, type WebhookEndpoint } from './webhooks.js';

const MAX_BODY_BYTES = 1_000_000;
/** Between a user's way back to the shop and the event of it: often the user is there first. */
const EVENT_DELAY_MS = 1500;

export interface StripeEmulatorOptions {
  /** 0 takes a free one. */
  readonly port?: number;
  readonly secretKey?: string;
  /** Event names of the account's meters. */
  readonly meters?: readonly string[];
  readonly prices?: readonly string[];
  readonly webhook?: WebhookEndpoint;
  readonly clock?: Clock;
}

/** What goes wrong; all off by default, and changeable while it runs. */
interface StripeFaults {
  /** Answers this many requests with 500; Stripe keeps that answer under the Idempotency-Key too. */
  failNext: number;
  /** Does what this many requests ask and breaks the connection off before the answer. */
  loseAnswerNext: number;
}

export interface StripeEmulator extends RunningEmulator {
  readonly account: StripeAccount;
  readonly faults: StripeFaults;
  /** Requests so far, as `POST /v1/customers`. */
  readonly requests: readonly string[];
  /** Where events go from now on. */
  webhook: WebhookEndpoint | undefined;
  /**
   * Completes a session as a user does on its page (or by opening its URL): a method is saved or the amount paid,
   * and its events sent, by the page when the user has left it. Returns the session's own.
   */
  completeSession(sessionId: string): Promise<StripeEvent>;
  /** Saves another payment method, as the portal does; returns its event. */
  attachMethod(customer: string): Promise<StripeEvent>;
  /** Removes a payment method, as the portal does. */
  detachMethod(method: string): Promise<void>;
  /** Removes all that the customer has. */
  detachMethods(customer: string): Promise<void>;
  /** Ends what the customer is subscribed to, as the portal does; returns the events. */
  cancelSubscriptions(customer: string): Promise<StripeEvent[]>;
  /** Sends an event, perhaps again; returns the answer's status. */
  send(event: StripeEvent): Promise<number>;
}

/** Serves as much of Stripe's API on loopback as billing by usage needs, as strict as Stripe. */
export async function startStripeEmulator(options: StripeEmulatorOptions = {}): Promise<StripeEmulator> {
  const { server, running } = await listen(options.port ?? 0);
  const emulation = new Emulation(options, running.url);
  server.on('request', (request, response) => {
    emulation.serve(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  return Object.assign(emulation, running);
}

class Emulation {
  readonly account = new StripeAccount();
  readonly faults: StripeFaults = { failNext: 0, loseAnswerNext: 0 };
  readonly requests: string[] = [];
  webhook: WebhookEndpoint | undefined;
  readonly #secretKey: string;
  readonly #clock: Clock;
  readonly #context: EndpointContext;
  readonly #replies: IdempotentReplies;

  constructor(options: StripeEmulatorOptions, baseUrl: string) {
    this.#secretKey = options.secretKey ?? 'sk_test_emulator';
    this.#clock = options.clock ?? systemClock;
    this.webhook = options.webhook;
    this.#replies = new IdempotentReplies(this.#clock);
    this.#context = {
      account: this.account,
      baseUrl,
      meters: options.meters ?? ['voice_agent_usage'],
      prices: options.prices ?? [],
      now: () => this.#clock.now(),
    };
  }

  /** Does what a user does on a session's page; the events are still to be sent. */
  #complete(sessionId: string): readonly [completed: StripeEvent, ...others: StripeEvent[]] {
    const session = this.account.sessions.get(sessionId);
    if (!session) throw noSuch('checkout session', sessionId, 'session', 404);
    if (session.status === 'complete') throw new StripeRefusal(410, 'This session is complete.');
    session.status = 'complete';
    if (session.mode === 'payment') session.payment_status = 'paid';
    const completed = eventOf('checkout.session.completed', { object: { ...session } }, this.#clock.now());
    const intent = session.setup_intent && this.account.setupIntents.get(session.setup_intent);
    if (!intent) return [completed];
    const method = this.account.attachMethod(session.customer);
    intent.payment_method = method.id;
    intent.status = 'succeeded';
    return [completed, this.#attached(method)];
  }

  #attached(method: PaymentMethod): StripeEvent {
    return eventOf('payment_method.attached', { object: { ...method } }, this.#clock.now());
  }

  async completeSession(sessionId: string): Promise<StripeEvent> {
    const events = this.#complete(sessionId);
    // Stripe keeps no order: they come at the same time.
    if (this.webhook) await Promise.all(events.map((event) => this.send(event)));
    return events[0];
  }

  async attachMethod(customer: string): Promise<StripeEvent> {
    const event = this.#attached(this.account.attachMethod(customer));
    if (this.webhook) await this.send(event);
    return event;
  }

  async cancelSubscriptions(customer: string): Promise<StripeEvent[]> {
    const events: StripeEvent[] = [];
    for (const subscription of this.account.subscriptions) {
      if (subscription.customer !== customer || subscription.status === 'canceled') continue;
      subscription.status = 'canceled';
      const items = { object: 'list', data: [{ price: { id: subscription.price } }] };
      const object = { ...subscription, items };
      events.push(eventOf('customer.subscription.deleted', { object }, this.#clock.now()));
    }
    if (this.webhook) for (const event of events) await this.send(event);
    return events;
  }

  async detachMethods(customer: string): Promise<void> {
    for (const { id } of this.account.methodsOf(customer)) await this.detachMethod(id);
  }

  async detachMethod(id: string): Promise<void> {
    const customer = this.account.detachMethod(id);
    const object = { ...this.account.paymentMethods.get(id) };
    const data = { object, previous_attributes: { customer } };
    if (this.webhook) await this.send(eventOf('payment_method.detached', data, this.#clock.now()));
  }

  send(event: StripeEvent): Promise<number> {
    if (!this.webhook) throw new Error('no webhook endpoint is known');
    return deliver(this.webhook, event, this.#clock.now());
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await readBody(request, MAX_BODY_BYTES)).toString('utf8');
    const { pathname, search } = requestUrl(request);
    this.requests.push(`${request.method} ${pathname}`);
    const requestId = stripeId('req');
    const write = (reply: StoredReply, headers: Record<string, string> = {}) =>
      response
        .writeHead(reply.status, { 'content-type': 'application/json', 'request-id': requestId, ...headers })
        .end(reply.body);
    try {
      const page = /^\/c\/pay\/(\w+)$/.exec(pathname)?.[1];
      if (page !== undefined) {
        const events = this.#complete(page);
        response.writeHead(303, { location: this.account.sessions.get(page)?.success_url ?? '/' }).end();
        this.#clock.schedule(EVENT_DELAY_MS, () => {
          if (this.webhook) for (const event of events) this.send(event).catch(() => {});
        });
        return;
      }
      const portal = /^\/p\/session\/(\w+)$/.exec(pathname)?.[1];
      if (portal !== undefined) {
        const session = this.account.portalSessions.get(portal);
        if (session === undefined) throw noSuch('billing portal session', portal, 'session', 404);
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(portalPage(session));
        return;
      }
      this.#authenticate(request);
      const form = formOf(request, body, search);
      const run = () => this.#answer(request.method ?? '', pathname, form);
      const key = request.method === 'POST' ? header(request, 'idempotency-key') : undefined;
      const { reply, replayed } =
        key === undefined
          ? { reply: run(), replayed: false }
          : this.#replies.once(key, `${request.method} ${pathname} ${body}`, run);
      if (this.faults.loseAnswerNext > 0) {
        this.faults.loseAnswerNext -= 1;
        response.destroy();
        return;
      }
      write(reply, replayed ? { 'idempotent-replayed': 'true' } : {});
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error;
      write({ status: error.status, body: JSON.stringify(error.body) });
    }
  }

  #authenticate(request: IncomingMessage): void {
    const given = header(request, 'authorization') ?? '';
    const basic = /^Basic (\S+)$/.exec(given)?.[1];
    const key = basic
      ? Buffer.from(basic, 'base64').toString('utf8').replace(/:$/, '')
      : /^Bearer (\S+)$/.exec(given)?.[1];
    if (key === undefined) throw new StripeRefusal(401, 'You did not provide an API key.');
    if (key !== this.#secretKey)
      throw new StripeRefusal(401, `Invalid API Key provided: ${key.slice(0, 8)}***`);
    const version = header(request, 'stripe-version');
    if (version !== undefined && !/^\d{4}-\d{2}-\d{2}(\.\w+)?$/.test(version)) {
      throw new StripeRefusal(400, `Invalid Stripe API version: ${version}`);
    }
  }

  #answer(method: string, pathname: string, form: Form): StoredReply {
    const at = ENDPOINTS.flatMap((endpoint): { endpoint: Endpoint; id: string }[] => {
      const match = endpoint.method === method ? endpoint.path.exec(pathname) : null;
      return match ? [{ endpoint, id: decodeURIComponent(match.groups?.id ?? '') }] : [];
    })[0];
    if (!at) throw new StripeRefusal(404, `Unrecognized request URL (${method}: ${pathname}).`);
    try {
      if (this.faults.failNext > 0) {
        this.faults.failNext -= 1;
        throw new StripeRefusal(500, 'An unexpected error occurred.', { type: 'api_error' });
      }
      checkParams(at.endpoint, form);
      return { status: 200, body: JSON.stringify(at.endpoint.run({ id: at.id, form }, this.#context)) };
    } catch (error) {
      if (!(error instanceof StripeRefusal)) throw error;
      return { status: error.status, body: JSON.stringify(error.body) };
    }
  }
}

/** The page on which a customer sees their invoices, with the way back. */
function portalPage({ customer, return_url: back }: PortalSession): string {
  const link =
    back === null
      ? ''
      : `<a href="${back.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">Back to the shop</a>`;
  return `<!doctype html><html lang="en"><title>Portal</title><link rel="icon" href="data:,"><h1>Invoices of ${customer}</h1>${link}</html>`;
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function formOf(request: IncomingMessage, body: string, search: string): Form {
  const isPost = request.method === 'POST';
  if (
    isPost &&
    body !== '' &&
    !header(request, 'content-type')?.startsWith('application/x-www-form-urlencoded')
  ) {
    throw new StripeRefusal(400, 'Invalid request: the body must be form-encoded.');
  }
  const form = parseForm(isPost ? body : search);
  if (!form) throw new StripeRefusal(400, 'Invalid form encoding.');
  return form;
}
