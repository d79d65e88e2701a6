import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import { type PlivoEmulator, startPlivoEmulator } from './server.js';
import { InvalidXml, parseResponse } from './xml.js';

const ACCOUNT = { authId: 'MATEST', authToken: 'token', appId: '7' };
const AUTHORIZATION = `Basic ${Buffer.from('MATEST:token').toString('base64')}`;

const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 60_000, interval: 5 });

let plivo: PlivoEmulator;
/** What is asked of the customer, and what it answers. */
let customer: Server;
let asked: { path: string; fields: Record<string, string>; signature: string | undefined }[];
let xml: string;
let base: string;

beforeEach(async () => {
  asked = [];
  xml = '<Response><Hangup/></Response>';
  plivo = await startPlivoEmulator(ACCOUNT);
  customer = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    const signature = request.headers['x-plivo-signature-v3'] as string | undefined;
    asked.push({ path: request.url!, fields: Object.fromEntries(new URLSearchParams(body)), signature });
    response.end(xml);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => customer.once('listening', resolve));
  base = `http://127.0.0.1:${(customer.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await plivo.close();
  customer.closeAllConnections();
  await new Promise((resolve) => customer.close(resolve));
});

const request = (method: string, path: string, body?: object, authorization = AUTHORIZATION) =>
  fetch(`${plivo.url}/v1/Account/MATEST${path}`, {
    method,
    headers: { authorization, ...(body ? { 'content-type': 'application/json' } : {}) },
    body: body ? JSON.stringify(body) : undefined,
  });
const CALL = { from: '16465550101', to: '13125550150' };
const dial = (more: object = {}) =>
  request('POST', '/Call/', {
    ...CALL,
    answer_url: `${base}/answer`,
    ring_url: `${base}/ring`,
    hangup_url: `${base}/hangup`,
    ...more,
  });

describe('the Plivo emulator', () => {
  it('rings, asks what to do when somebody answers, and reports the end, each signed', async () => {
    const { request_uuid: id } = (await (await dial()).json()) as { request_uuid: string };
    await plivo.calls.answer(plivo.calls.all[0]!);
    await until(() => expect(asked).toHaveLength(3));
    expect(asked.map(({ path, fields }) => [path, fields.CallUUID, fields.CallStatus])).toEqual([
      ['/ring', id, 'ringing'],
      ['/answer', id, 'in-progress'],
      ['/hangup', id, 'completed'],
    ]);
    for (const { signature } of asked) expect(signature).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    expect(asked[2]!.fields).toMatchObject({ HangupCauseCode: '4000', TotalCost: '0.00000' });
  });

  it.each([
    ['a number with a plus', { to: '+13125550150' }],
    ['a parameter that there is not', { answer_uri: 'x' }],
    ['an address that is none', { answer_url: 'nowhere' }],
    ['a ring timeout in words', { ring_timeout: 'long' }],
    ['a detection that nobody asked for', { machine_detection_url: 'http://127.0.0.1:9/' }],
    ['a method that is not emulated', { answer_method: 'GET' }],
  ])('refuses %s', async (_, more) => {
    const answer = await dial(more);
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: expect.any(String) }]);
    expect(plivo.calls.all).toEqual([]);
  });

  it('refuses who is not the account, and what is not there', async () => {
    expect((await request('POST', '/Call/', CALL, 'Basic x')).status).toBe(401);
    expect((await fetch(`${plivo.url}/v1/Account/OTHER/Call/`)).status).toBe(401);
    expect((await request('DELETE', '/Call/none/')).status).toBe(404);
    expect((await request('GET', '/Recording/')).status).toBe(404);
  });

  it('ends a ringing call as a request, and an answered one as a call', async () => {
    await dial();
    const [call] = plivo.calls.all;
    expect((await request('DELETE', `/Call/${call!.id}/`)).status).toBe(404);
    expect((await request('DELETE', `/Request/${call!.id}/`)).status).toBe(204);
    expect(call).toMatchObject({ state: 'ended', hangupCause: 1000 });
    expect((await request('DELETE', `/Request/${call!.id}/`)).status).toBe(404);
  });

  it('gives an answered call a new course, and none to one that rings', async () => {
    xml = '<Response><Conference>room</Conference></Response>';
    await dial();
    const [call] = plivo.calls.all;
    const redirect = () =>
      request('POST', `/Call/${call!.id}/`, { legs: 'aleg', aleg_url: `${base}/next`, aleg_method: 'POST' });
    expect((await redirect()).status).toBe(404);
    void plivo.calls.answer(call!);
    await until(() => expect(call!.room).toBe('room'));
    xml = '<Response><Speak>Bye &amp; thanks.</Speak></Response>';
    expect((await redirect()).status).toBe(202);
    await until(() => expect(call!.state).toBe('ended'));
    expect(call!.heard).toEqual(['Bye & thanks.']);
  });

  it('streams both ways: a checkpoint comes back when it was played, and never when it was cleared', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await new Promise((resolve) => server.once('listening', resolve));
    const received: { event: string; name?: string; extra_headers?: string; start?: { streamId: string } }[] =
      [];
    server.on('connection', (socket) => {
      expect(socket.protocol).toBe('audio.plivo.com');
      socket.on('message', (data) => {
        const message = JSON.parse(String(data)) as (typeof received)[number];
        received.push(message);
        const { streamId } = received[0]!.start!;
        const send = (value: object) => socket.send(JSON.stringify(value));
        const media = { contentType: 'audio/x-mulaw', sampleRate: 8000 };
        const audio = (bytes: number) => Buffer.alloc(bytes, 0xff).toString('base64');
        if (message.event === 'start') {
          send({ event: 'playAudio', media: { ...media, payload: audio(160) } });
          send({ event: 'checkpoint', streamId, name: 'heard' });
          send({ event: 'playAudio', media: { ...media, contentType: 'audio/mp3', payload: 'AA==' } });
        }
        if (message.event === 'playedStream') {
          send({ event: 'playAudio', media: { ...media, payload: audio(80_000) } });
          send({ event: 'checkpoint', streamId, name: 'dropped' });
          send({ event: 'clearAudio', streamId });
          send({ event: 'clearAudio', streamId: 'another' });
        }
      });
    });
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    xml = `<Response><Stream bidirectional="true" keepCallAlive="true" contentType="audio/x-mulaw;rate=8000" extraHeaders="a=1,b=2">${url}</Stream></Response>`;
    await dial();
    const [call] = plivo.calls.all;
    void plivo.calls.answer(call!);
    await until(() => expect(received.map(({ event }) => event)).toContain('clearedAudio'));
    call!.stream!.press('5');
    await until(() => expect(received.map(({ event }) => event)).toContain('dtmf'));
    expect(received[0]).toMatchObject({ event: 'start', extra_headers: 'a=1;b=2' });
    expect(received.filter(({ event }) => event === 'playedStream').map(({ name }) => name)).toEqual([
      'heard',
    ]);
    expect(call!.stream!.errors).toEqual([
      'playAudio is not as the stream was asked for',
      'clearAudio of another stream',
    ]);
    for (const client of server.clients) client.terminate();
    await until(() => expect(call!.state).toBe('ended'));
    server.close();
  });

  it('sells numbers to its application, and takes them back', async () => {
    const query = 'country_iso=US&type=local&services=voice&limit=1&pattern=646';
    const { objects } = (await (await request('GET', `/PhoneNumber/?${query}`)).json()) as {
      objects: { number: string }[];
    };
    const { number } = objects[0]!;
    expect((await request('POST', `/PhoneNumber/${number}/`, { app_id: '8' })).status).toBe(400);
    expect((await request('POST', `/PhoneNumber/${number}/`, { app_id: '7' })).status).toBe(201);
    expect((await request('POST', `/PhoneNumber/${number}/`, { app_id: '7' })).status).toBe(400);
    expect((await request('GET', `/Number/${number}/`)).status).toBe(200);
    expect((await request('DELETE', `/Number/${number}/`)).status).toBe(204);
    expect((await request('GET', `/Number/${number}/`)).status).toBe(404);
    expect((await request('GET', '/PhoneNumber/?colour=red')).status).toBe(400);
  });
});

describe("Plivo's XML", () => {
  it('is read with its attributes and entities', () => {
    expect(
      parseResponse(
        '<?xml version="1.0"?><Response><Dial callerId="1646" action="http://a/?b=1&amp;c=2"><Number>1312</Number></Dial><Hangup/></Response>',
      ),
    ).toMatchObject([
      {
        name: 'Dial',
        attributes: { callerId: '1646', action: 'http://a/?b=1&c=2' },
        children: [{ name: 'Number', text: '1312' }],
      },
      { name: 'Hangup' },
    ]);
  });

  it.each([
    '<Answer/>',
    '<Response><Say>hello</Say></Response>',
    '<Response><Speak tone="high">hello</Speak></Response>',
    '<Response><Speak>a & b</Speak></Response>',
    '<Response><Speak>a</Speak>b</Response>',
    '<Response><Speak>a<Hangup/></Speak></Response>',
  ])('is refused where it is not documented: %s', (text) => {
    expect(() => parseResponse(text)).toThrow(InvalidXml);
  });
});
