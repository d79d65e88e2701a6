import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { TEST_NUMBERS, testNumber } from '@voice/shared/contracts/test-numbers';
import type { Log } from '@voice/shared/log/log';
import { WebSocketServer } from 'ws';
import { Call } from '../calls/call.js';
import type { Exchange } from '../calls/exchange.js';
import type { CallRegistry } from '../calls/registry.js';
import { Messages } from '../messages/messages.js';
import { Numbers } from '../numbers/numbers.js';
import { invalidParameter, methodNotAllowed, notFound, RestError, unauthorized } from '../requests/errors.js';
import { readDial, readNetwork, readUpdate } from '../requests/requests.js';

const LONGEST_BODY_BYTES = 65_536;

/** Creates the carrier's HTTP server: Twilio's REST for calls, and what only a simulation has. */
export function createRestServer(exchange: Exchange, calls: CallRegistry, log: Log): Server {
  const shop: Shop = { numbers: new Numbers(), messages: new Messages() };
  const server = createServer((request, response) => {
    route(request, exchange, calls, shop)
      .then((answer) => send(response, answer))
      .catch((error: unknown) => {
        if (error instanceof RestError) {
          const headers: Record<string, string> =
            error.status === 401 ? { 'www-authenticate': 'Basic realm="Twilio API"' } : {};
          send(response, { status: error.status, json: error, headers });
          return;
        }
        log.error({ err: String(error) }, 'request failed');
        send(response, {
          status: 500,
          json: new RestError(500, 20500, 'An internal server error has occurred'),
        });
      });
  });
  serveCaptions(server, calls);
  return server;
}

interface Answer {
  readonly status: number;
  readonly json?: unknown;
  readonly audio?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the carrier has besides calls. */
interface Shop {
  readonly numbers: Numbers;
  readonly messages: Messages;
}

async function route(
  request: IncomingMessage,
  exchange: Exchange,
  calls: CallRegistry,
  shop: Shop,
): Promise<Answer> {
  const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://carrier');
  if (path === '/healthz') return { status: 200, json: { status: 'ok' } };
  if (path === '/phrasebook') return { status: 200, json: await exchange.phrasebook };
  const voicemail = /^\/voicemails\/(CA[0-9a-f]{32})$/.exec(path);
  if (voicemail) {
    const call = calls.get(voicemail[1]!);
    if (!call) throw notFound(path);
    return { status: 200, audio: call.recording };
  }
  const keys = /^\/simulation\/calls\/(CA[0-9a-f]{32})\/keys$/.exec(path);
  if (keys) return press(keys[1]!, request, exchange, calls);
  const voice = /^\/simulation\/people\/(\w+)\/voice$/.exec(path);
  if (voice) return chooseVoice(voice[1]!, request, exchange);
  if (path === '/simulation/messages') {
    authenticate(request, exchange);
    return { status: 200, json: shop.messages.to(query.get('To')) };
  }
  const simulated = /^\/simulation\/calls\/(CA[0-9a-f]{32})$/.exec(path);
  if (simulated) return account(simulated[1]!, request, exchange, calls);
  if (path === '/simulation/calls') return callIn(request, exchange, calls, shop);
  const resource = /^\/2010-04-01\/Accounts\/([^/]+)\/(.+)$/.exec(path);
  if (!resource) throw notFound(path);
  authenticate(request, exchange);
  if (resource[1] !== exchange.accountSid) throw notFound(path);
  if (resource[2] === 'Calls.json') {
    if (request.method !== 'POST') throw methodNotAllowed();
    return dial(await formOf(request), exchange, calls);
  }
  const sold = await shopping(resource[2]!, request, query, exchange.accountSid, shop);
  if (sold) return sold;
  const call = calls.get(/^Calls\/(CA[0-9a-f]{32})\.json$/.exec(resource[2]!)?.[1] ?? '');
  if (!call) throw notFound(path);
  if (request.method === 'POST') call.update(readUpdate(await formOf(request)));
  else if (request.method !== 'GET') throw methodNotAllowed();
  return { status: 200, json: call.resource };
}

function dial(form: URLSearchParams, exchange: Exchange, calls: CallRegistry): Answer {
  const request = readDial(form);
  const number = testNumber(request.to);
  // Nobody lives there.
  if (!number) throw new RestError(400, 21214, `'To' phone number ${request.to} cannot be reached.`);
  const call = new Call({ request, script: exchange.people.scriptOf(number.behavior), exchange });
  const { resource } = call;
  calls.add(call);
  // For audits, which count the other side's dials.
  exchange.log.info({ call_sid: resource.sid, status_callback: form.get('StatusCallback') }, 'dialed');
  return { status: 201, json: resource };
}

/** Serves numbers and messages; undefined for what is neither. */
async function shopping(
  path: string,
  request: IncomingMessage,
  query: URLSearchParams,
  accountSid: string,
  { numbers, messages }: Shop,
): Promise<Answer | undefined> {
  const country = /^AvailablePhoneNumbers\/([A-Z]{2})\/Local\.json$/.exec(path)?.[1];
  if (country !== undefined) {
    if (request.method !== 'GET') throw methodNotAllowed();
    return { status: 200, json: numbers.search(accountSid, country, query) };
  }
  if (path === 'IncomingPhoneNumbers.json') {
    if (request.method === 'GET') return { status: 200, json: numbers.list(accountSid, query) };
    if (request.method !== 'POST') throw methodNotAllowed();
    return { status: 201, json: numbers.buy(accountSid, await formOf(request)) };
  }
  const sid = /^IncomingPhoneNumbers\/(PN[0-9a-f]{32})\.json$/.exec(path)?.[1];
  if (sid !== undefined) {
    if (request.method !== 'DELETE') throw methodNotAllowed();
    if (!numbers.release(sid)) throw notFound(path);
    return { status: 204 };
  }
  if (path === 'Messages.json') {
    if (request.method !== 'POST') throw methodNotAllowed();
    return { status: 201, json: messages.send(accountSid, await formOf(request)) };
  }
  return undefined;
}

/** Lets, beyond Twilio's API, a test person (`From`, a test number) call a number that was bought (`To`). */
async function callIn(
  request: IncomingMessage,
  exchange: Exchange,
  calls: CallRegistry,
  { numbers }: Shop,
): Promise<Answer> {
  authenticate(request, exchange);
  if (request.method !== 'POST') throw methodNotAllowed();
  const form = await formOf(request);
  const [to, from] = [form.get('To') ?? '', form.get('From') ?? TEST_NUMBERS[0]!.number];
  const number = numbers.find(to);
  const person = testNumber(from);
  if (!number?.voiceUrl) throw invalidParameter(`To: ${to} is no number with a voice URL`);
  if (!person) throw invalidParameter(`From: ${from} is no test number`);
  const { statusCallback, voiceUrl } = number;
  const call = new Call({
    request: {
      to,
      from,
      twiml: [],
      voiceUrl,
      status:
        statusCallback === undefined
          ? undefined
          : { url: statusCallback, method: 'POST', events: new Set(['completed'] as const) },
      timeoutSeconds: 60,
      machineDetection: undefined,
      ...readNetwork(form),
    },
    script: exchange.people.scriptOf(person.behavior),
    exchange,
  });
  const { resource } = call;
  calls.add(call);
  return { status: 201, json: resource };
}

/** Answers, beyond Twilio's API, a call's status, what `Say` spoke (`said`) and what the person said (`spoke`). */
function account(sid: string, request: IncomingMessage, exchange: Exchange, calls: CallRegistry): Answer {
  authenticate(request, exchange);
  if (request.method !== 'GET') throw methodNotAllowed();
  const call = calls.get(sid);
  if (!call) throw notFound(`/simulation/calls/${sid}`);
  const { status, duration } = call.resource;
  return { status: 200, json: { sid, status, duration, said: call.said, spoke: call.captions.spoken } };
}

/** Chooses, beyond Twilio's API, the voice in which a person speaks from the next call on. */
async function chooseVoice(
  behavior: string,
  request: IncomingMessage,
  exchange: Exchange,
): Promise<{ status: 204 }> {
  authenticate(request, exchange);
  const person = TEST_NUMBERS.find((one) => one.behavior === behavior);
  if (!person) throw notFound(`/simulation/people/${behavior}/voice`);
  if (request.method !== 'POST') throw methodNotAllowed();
  const voice = (await formOf(request)).get('Voice');
  if (voice !== 'model' && voice !== 'espeak') throw invalidParameter('Voice must be model or espeak');
  if (!(await exchange.people.use(person.behavior, voice))) {
    throw new RestError(409, 20409, 'No neural voice is installed: npm run models');
  }
  return { status: 204 };
}

/** Lets, beyond Twilio's API, the person at the other end press keys. */
async function press(
  callSid: string,
  request: IncomingMessage,
  exchange: Exchange,
  calls: CallRegistry,
): Promise<Answer> {
  authenticate(request, exchange);
  const call = calls.get(callSid);
  if (!call) throw notFound(`/simulation/calls/${callSid}/keys`);
  if (request.method !== 'POST') throw methodNotAllowed();
  const digits = (await formOf(request)).get('Digits') ?? '';
  if (!/^[0-9A-D*#]{1,32}$/.test(digits)) throw invalidParameter('Digits must be 1 to 32 of 0-9 A-D * #');
  call.press(digits);
  return { status: 202, json: { sid: callSid } };
}

function authenticate(request: IncomingMessage, { accountSid, authToken }: Exchange): void {
  const expected = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  if (!timingSafeEqual(digest(request.headers.authorization ?? ''), digest(expected))) throw unauthorized();
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('application/x-www-form-urlencoded')) {
    throw new RestError(415, 20001, 'The body must be application/x-www-form-urlencoded');
  }
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > LONGEST_BODY_BYTES) throw new RestError(413, 20001, 'The body is too large');
    parts.push(part);
  }
  return new URLSearchParams(Buffer.concat(parts).toString('utf8'));
}

function send(response: ServerResponse, { status, json, audio, headers = {} }: Answer): void {
  if (status === 204) {
    response.writeHead(204, headers).end();
    return;
  }
  const body = audio ?? Buffer.from(JSON.stringify(json));
  response.writeHead(status, {
    'content-type': audio ? 'audio/basic' : 'application/json;charset=utf-8',
    'content-length': String(body.length),
    ...headers,
  });
  response.end(body);
}

/** Serves `WebSocket /captions/{callSid}`. */
function serveCaptions(server: Server, calls: CallRegistry): void {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  server.on('upgrade', (request, socket, head) => {
    const path = new URL(request.url ?? '/', 'http://carrier').pathname;
    const call = calls.get(/^\/captions\/(CA[0-9a-f]{32})$/.exec(path)?.[1] ?? '');
    if (!call) {
      socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (listener) => {
      const stop = call.captions.listen({
        send: (text) => listener.send(text),
        end: () => listener.close(1000),
      });
      listener.on('close', stop);
      listener.on('error', () => listener.terminate());
    });
  });
}
