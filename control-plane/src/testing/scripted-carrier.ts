import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import twilio from 'twilio';
import { type HttpAnswer, sendRequest } from './http-client.js';
import { KEEP_ALIVE_MS } from './keep-alive.js';

export const CARRIER_ACCOUNT_SID = `AC${'0123456789abcdef'.repeat(2)}`;
export const CARRIER_AUTH_TOKEN = 'an auth token for tests';

/** A call as the carrier was asked for it. */
export interface DialedCall {
  readonly sid: string;
  readonly form: Readonly<Record<string, string>>;
  status: string;
}

const KNOWN_FIELDS = new Set([
  'To',
  'From',
  'Twiml',
  'Timeout',
  'StatusCallback',
  'StatusCallbackMethod',
  'StatusCallbackEvent',
  'MachineDetection',
  'AsyncAmd',
  'AsyncAmdStatusCallback',
  'AsyncAmdStatusCallbackMethod',
]);

/** A text message as the carrier was asked to send it. */
export interface SentMessage {
  readonly from: string;
  readonly to: string;
  readonly body: string;
}

/**
 * A carrier that speaks as much of Twilio's REST API as dialing and text messages need, and rings only as the test says.
 * Strict: Basic authentication, form bodies, known fields, and its callbacks are signed.
 */
export class ScriptedCarrier {
  readonly dialed: DialedCall[] = [];
  readonly hungUp: string[] = [];
  /** Text messages, oldest first. */
  readonly messages: SentMessage[] = [];
  /** New instructions for live calls. */
  readonly redirected: { readonly sid: string; readonly twiml: string }[] = [];
  /** What it does with new instructions. */
  redirectMode: 'takes' | 'refuses' | 'takes_silently' = 'takes';
  /** Runs before the answer to new instructions is sent. */
  beforeRedirect: (call: DialedCall) => Promise<void> = async () => {};
  /** What it does when asked to dial: take the call, refuse with a Twilio error, or break off. */
  mode: 'takes' | { readonly status: number; readonly code: number } | 'takes_silently' | 'breaks' = 'takes';
  /** What it says that a call costs; by default nothing at all. */
  price: { readonly price: string | null; readonly price_unit: string } | undefined;
  /** How often a call was looked at, price included. */
  pricesAsked = 0;
  /** Runs before the answer to a dialing is sent. */
  beforeAnswer: (call: DialedCall) => Promise<void> = async () => {};
  readonly #server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  });

  private constructor() {}

  static async start(): Promise<ScriptedCarrier> {
    const carrier = new ScriptedCarrier();
    await new Promise<void>((resolve) => carrier.#server.listen(0, '127.0.0.1', resolve));
    return carrier;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The environment by which a control plane uses this carrier for its sandbox. */
  get env(): Record<string, string> {
    return {
      SIMULATED_CARRIER_URL: this.url,
      SIMULATED_CARRIER_ACCOUNT_SID: CARRIER_ACCOUNT_SID,
      SIMULATED_CARRIER_AUTH_TOKEN: CARRIER_AUTH_TOKEN,
    };
  }

  /** The environment by which it is the control plane's Twilio, for production keys. */
  get productionEnv(): Record<string, string> {
    return {
      TWILIO_API_URL: this.url,
      TWILIO_ACCOUNT_SID: CARRIER_ACCOUNT_SID,
      TWILIO_AUTH_TOKEN: CARRIER_AUTH_TOKEN,
    };
  }

  callOf(callId: string): DialedCall | undefined {
    return this.dialed.find(({ form }) => form.StatusCallback?.includes(callId));
  }

  /** Sends a signed status callback; returns the answer's status. */
  report(call: DialedCall, status: string, fields: Record<string, string> = {}): Promise<number> {
    if (status !== 'initiated') call.status = status;
    return this.#callback(call.form.StatusCallback!, { CallSid: call.sid, CallStatus: status, ...fields });
  }

  reportAnsweredBy(call: DialedCall, answeredBy: string): Promise<number> {
    return this.#callback(call.form.AsyncAmdStatusCallback!, { CallSid: call.sid, AnsweredBy: answeredBy });
  }

  /** Sends the signed request that follows a human's briefing; returns the answer. */
  briefed(call: DialedCall): Promise<{ status: number; twiml: string }> {
    const next = /<Redirect[^>]*>([^<]+)<\/Redirect>/.exec(call.form.Twiml ?? '')?.[1] ?? '';
    return this.callIn(next.replaceAll('&amp;', '&'), { CallSid: call.sid, CallStatus: 'in-progress' });
  }

  /** Lets a human answer and hear the briefing to its end. */
  async takes(call: DialedCall): Promise<void> {
    await this.report(call, 'in-progress');
    await this.briefed(call);
  }

  /** Somebody calls: the signed request for instructions; returns the answer. */
  async callIn(
    voiceUrl: string,
    fields: Record<string, string>,
  ): Promise<{ status: number; twiml: string; contentType: string }> {
    const form = { AccountSid: CARRIER_ACCOUNT_SID, ApiVersion: '2010-04-01', ...fields };
    const answer = await this.#post(voiceUrl, form);
    return {
      status: answer.status,
      twiml: answer.text,
      contentType: answer.headers.get('content-type') ?? '',
    };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #callback(url: string, fields: Record<string, string>): Promise<number> {
    const form = { AccountSid: CARRIER_ACCOUNT_SID, ApiVersion: '2010-04-01', ...fields };
    return (await this.#post(url, form)).status;
  }

  #post(url: string, form: Record<string, string>): Promise<HttpAnswer> {
    return sendRequest(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': twilio.getExpectedTwilioSignature(CARRIER_AUTH_TOKEN, url, form),
      },
      body: new URLSearchParams(form).toString(),
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const json = (status: number, value: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const refuse = (status: number, code: number, message: string) =>
      json(status, { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status });
    const expected = `Basic ${Buffer.from(`${CARRIER_ACCOUNT_SID}:${CARRIER_AUTH_TOKEN}`).toString('base64')}`;
    if (request.headers.authorization !== expected) return void refuse(401, 20003, 'Authenticate');
    if (request.url === `/2010-04-01/Accounts/${CARRIER_ACCOUNT_SID}/Messages.json`) {
      if (request.method !== 'POST') return void refuse(405, 20004, 'Method not allowed');
      const form = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
      const [from, to, body] = [form.get('From'), form.get('To'), form.get('Body')];
      if (!from || !to || !body) return void refuse(400, 21604, "'From', 'To' and 'Body' are required");
      this.messages.push({ from, to, body });
      return void json(201, {
        sid: `SM${randomBytes(16).toString('hex')}`,
        status: 'queued',
        from,
        to,
        body,
      });
    }
    const path = new RegExp(
      `^/2010-04-01/Accounts/${CARRIER_ACCOUNT_SID}/Calls(?:/(CA[0-9a-f]{32}))?\\.json$`,
    );
    const match = path.exec(request.url ?? '');
    if (!match) return void refuse(404, 20404, 'The requested resource was not found');
    const fields = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
    const resource = (call: DialedCall) => {
      if (request.method === 'GET') this.pricesAsked++;
      return { sid: call.sid, status: call.status, duration: null, ...this.price };
    };

    if (match[1]) {
      const call = this.dialed.find(({ sid }) => sid === match[1]);
      if (!call) return void refuse(404, 20404, 'The requested resource was not found');
      if (request.method === 'POST') {
        if (call.status === 'completed') return void refuse(400, 21220, 'Call is not in-progress.');
        const twiml = fields.get('Twiml');
        if (twiml === null) {
          call.status = 'completed';
          this.hungUp.push(call.sid);
        } else {
          if (call.status !== 'in-progress') return void refuse(400, 21220, 'Call is not in-progress.');
          this.redirected.push({ sid: call.sid, twiml });
          await this.beforeRedirect(call);
          if (this.redirectMode === 'takes_silently') return void request.socket.destroy();
          if (this.redirectMode !== 'takes') return void refuse(400, 13223, 'Dial: Invalid phone number');
        }
      }
      return void json(200, resource(call));
    }
    if (request.method !== 'POST') return void refuse(405, 20004, 'Method not allowed');
    if (this.mode === 'breaks') return void request.socket.destroy();
    if (typeof this.mode === 'object') return void refuse(this.mode.status, this.mode.code, 'refused');
    for (const name of fields.keys()) {
      if (!KNOWN_FIELDS.has(name)) return void refuse(400, 20001, `Unknown field ${name}`);
    }
    for (const name of ['To', 'From', 'Twiml']) {
      if (!fields.get(name)) return void refuse(400, 21201, `No '${name}' is given`);
    }
    const call: DialedCall = {
      sid: `CA${randomBytes(16).toString('hex')}`,
      form: {
        ...Object.fromEntries(fields),
        StatusCallbackEvent: fields.getAll('StatusCallbackEvent').join(' '),
      },
      status: 'queued',
    };
    this.dialed.push(call);
    await this.beforeAnswer(call);
    if (this.mode === 'takes_silently') return void request.socket.destroy();
    json(201, resource(call));
  }
}
