import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { testNumber } from '@voice/shared/contracts/test-numbers';
import type { Log } from '@voice/shared/log/log';
import { WebSocketServer } from 'ws';
import { Call, type Exchange } from '../calls/call.js';
import type { CallRegistry } from '../calls/registry.js';
import { PEOPLE } from '../people/people.js';
import { invalidParameter, methodNotAllowed, notFound, RestError, unauthorized } from './errors.js';
import { readDial, readUpdate } from './requests.js';

const LONGEST_BODY_BYTES = 65_536;

/** The carrier's HTTP side: Twilio's REST for calls, and what only a simulation has. */
export function createRestServer(exchange: Exchange, calls: CallRegistry, log: Log): Server {
  const server = createServer((request, response) => {
    route(request, exchange, calls)
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

async function route(request: IncomingMessage, exchange: Exchange, calls: CallRegistry): Promise<Answer> {
  const path = new URL(request.url ?? '/', 'http://carrier').pathname;
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
  const resource = /^\/2010-04-01\/Accounts\/([^/]+)\/(.+)$/.exec(path);
  if (!resource) throw notFound(path);
  authenticate(request, exchange);
  if (resource[1] !== exchange.accountSid) throw notFound(path);
  if (resource[2] === 'Calls.json') {
    if (request.method !== 'POST') throw methodNotAllowed();
    return dial(await formOf(request), exchange, calls);
  }
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
  const call = new Call(request, PEOPLE[number.behavior], exchange);
  const { resource } = call;
  calls.add(call);
  return { status: 201, json: resource };
}

/** Not Twilio's: lets the person at the other end press keys. */
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
  const body = audio ?? Buffer.from(JSON.stringify(json));
  response.writeHead(status, {
    'content-type': audio ? 'audio/basic' : 'application/json;charset=utf-8',
    'content-length': String(body.length),
    ...headers,
  });
  response.end(body);
}

/** `WebSocket /captions/{callSid}`. */
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
