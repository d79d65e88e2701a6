import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { BodyTooLarge, listen, type RunningEmulator, readBody, requestUrl } from '../serving/http-server.js';
import type { Phones } from '../telnyx/phone.js';
import { type Body, numberIn } from './call-body.js';
import { PlivoCalls } from './calls.js';
import { invalid, notFound, PlivoError } from './errors.js';
import { PlivoNumbers } from './numbers.js';

const MAX_BODY_BYTES = 100_000;

export interface PlivoEmulatorOptions {
  /** 0 takes a free one. */
  readonly port?: number;
  readonly authId: string;
  readonly authToken: string;
  /** The one application of the account. */
  readonly appId: string;
  readonly clock?: Clock;
  /** Who is behind the numbers; without them, phones ring and are answered as the test says. */
  readonly phones?: Phones;
  /** Whether audio streams are opened; default true. */
  readonly media?: boolean;
}

export interface PlivoEmulator extends RunningEmulator {
  readonly calls: PlivoCalls;
  readonly numbers: PlivoNumbers;
  readonly messages: { readonly src: string; readonly dst: string; readonly text: string }[];
}

/** Plivo on loopback: calls with their XML, numbers, messages, signed callbacks and audio streams. */
export async function startPlivoEmulator(options: PlivoEmulatorOptions): Promise<PlivoEmulator> {
  const { server, running } = await listen(options.port ?? 0);
  const calls = new PlivoCalls(options, options.clock ?? systemClock, options.phones, options.media);
  const numbers = new PlivoNumbers(options.appId);
  const messages: { src: string; dst: string; text: string }[] = [];
  const basic = `Basic ${Buffer.from(`${options.authId}:${options.authToken}`).toString('base64')}`;
  const account = `/v1/Account/${options.authId}`;

  const answer = async (request: IncomingMessage): Promise<[status: number, body?: object]> => {
    const url = requestUrl(request);
    if (request.headers.authorization !== basic || !url.pathname.startsWith(`${account}/`)) {
      throw new PlivoError(401, 'Could not verify your access level for that URL.');
    }
    const body = request.method === 'POST' ? await bodyOf(request) : {};
    const path = decodeURIComponent(url.pathname.slice(account.length));
    const id = path.split('/')[2] ?? '';
    switch (`${request.method} ${path.replace(/^(\/\w+\/)[^/]+\/$/, '$1:id/')}`) {
      case 'POST /Call/':
        return [201, calls.dial(body)];
      case 'GET /Call/:id/':
        return [200, url.searchParams.get('status') === 'live' ? calls.live(id) : calls.record(id)];
      case 'POST /Call/:id/':
        return [202, calls.redirect(id, body)];
      case 'DELETE /Call/:id/':
        void (await calls.end(id));
        return [204];
      case 'DELETE /Request/:id/':
        void (await calls.cancel(id));
        return [204];
      case 'POST /Message/': {
        const [src, dst] = [numberIn(body, 'src'), numberIn(body, 'dst')];
        if (typeof body.text !== 'string' || body.text === '') throw invalid('text is missing');
        messages.push({ src, dst, text: body.text });
        return [202, { message: 'message(s) queued', message_uuid: [randomUUID()], api_id: randomUUID() }];
      }
      case 'GET /PhoneNumber/':
        return [200, numbers.search(url.searchParams)];
      case 'POST /PhoneNumber/:id/':
        return [201, numbers.buy(id, body)];
      case 'GET /Number/:id/':
        return [200, numbers.owned(id)];
      case 'DELETE /Number/:id/':
        numbers.release(id);
        return [204];
      default:
        throw notFound();
    }
  };

  server.on('request', (request, response) => {
    const send = (status: number, value?: unknown) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(value === undefined ? '' : JSON.stringify(value));
    answer(request).then(
      ([status, value]) => send(status, value),
      (error: unknown) =>
        error instanceof PlivoError ? send(error.status, error) : send(500, { error: String(error) }),
    );
  });
  return {
    ...running,
    calls,
    numbers,
    messages,
    close() {
      calls.close();
      return running.close();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  if (!request.headers['content-type']?.startsWith('application/json')) {
    throw new PlivoError(415, 'only application/json is emulated');
  }
  const body = await readBody(request, MAX_BODY_BYTES).catch((error: unknown) => {
    throw error instanceof BodyTooLarge ? new PlivoError(413, 'too large') : error;
  });
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Body;
  } catch {
    // Refused below.
  }
  throw invalid('the body is no JSON object');
}
