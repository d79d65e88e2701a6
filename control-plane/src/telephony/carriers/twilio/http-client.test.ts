import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { twilioFailure } from './failures.js';
import { twilioRestClient } from './rest-client.js';

const ACCOUNT = { accountSid: `AC${'0'.repeat(32)}`, authToken: 'a token' };
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function carrier(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer);
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const failed = (asked: Promise<unknown>) => asked.then(() => undefined, twilioFailure);

describe('requests to Twilio', () => {
  it('are forms with repeated lists and the credentials of the account', async () => {
    const seen: unknown[] = [];
    const url = await carrier(async (request, response) => {
      const { method, url: path, headers } = request;
      seen.push({ method, path, authorization: headers.authorization, body: await text(request) });
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"sid":"CA1"}');
    });
    const call = await twilioRestClient({ ...ACCOUNT, apiUrl: `${url}/` }, 1000).calls.create({
      to: '+15550100',
      from: '+15550101',
      twiml: '<a b="c d&e"/>',
      timeout: 30,
      statusCallbackEvent: ['initiated', 'completed'],
    });
    expect(call.sid).toBe('CA1');
    expect(seen).toEqual([
      {
        method: 'POST',
        path: `/2010-04-01/Accounts/${ACCOUNT.accountSid}/Calls.json`,
        authorization: `Basic ${Buffer.from(`${ACCOUNT.accountSid}:a token`).toString('base64')}`,
        body: expect.any(String),
      },
    ]);
    expect([...new URLSearchParams((seen[0] as { body: string }).body)]).toEqual([
      ['To', '+15550100'],
      ['From', '+15550101'],
      ['StatusCallbackEvent', 'initiated'],
      ['StatusCallbackEvent', 'completed'],
      ['Timeout', '30'],
      ['Twiml', '<a b="c d&e"/>'],
    ]);
  });

  it('carry the fields of a query', async () => {
    const paths: unknown[] = [];
    const url = await carrier((request, response) => {
      paths.push(request.url);
      response.end('{"incoming_phone_numbers":[]}');
    });
    const client = twilioRestClient({ ...ACCOUNT, apiUrl: url }, 1000);
    expect(await client.incomingPhoneNumbers.list({ phoneNumber: '+15550100', limit: 1 })).toEqual([]);
    expect(paths).toEqual([expect.stringContaining('?PhoneNumber=%2B15550100&PageSize=1')]);
  });

  it.each([
    ['a number that it does not ring', 400, '{"code":21211,"message":"no"}', 'rejected', 'twilio_21211'],
    ['overload, in no JSON', 503, '<html>busy</html>', 'not_dialed', 'http_503'],
  ])('fail by the answer: %s', async (_, status, body, kind, code) => {
    const url = await carrier((_request, response) => response.writeHead(status).end(body));
    const client = twilioRestClient({ ...ACCOUNT, apiUrl: url }, 1000);
    const dialed = client.calls.create({ to: '+1', from: '+2', twiml: '<Response/>' });
    expect(await failed(dialed)).toMatchObject({ kind, code });
  });

  it('certainly ring nobody where nothing listens', async () => {
    const url = await carrier(() => {});
    servers.splice(0)[0]!.close();
    const client = twilioRestClient({ ...ACCOUNT, apiUrl: url }, 1000);
    expect(await failed(client.calls('CA1').update({ status: 'completed' }))).toMatchObject({
      kind: 'not_dialed',
      code: 'carrier_unreachable',
    });
  });

  it('may have rung somebody where no answer comes in time', async () => {
    const client = twilioRestClient({ ...ACCOUNT, apiUrl: await carrier(() => {}) }, 30);
    expect(await failed(client.calls('CA1').fetch())).toMatchObject({ kind: 'unknown' });
  });
});
