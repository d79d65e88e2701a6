import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { silentLog } from '@voice/shared/log/log';
import twilio from 'twilio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SimulatedCarrier, startSimulatedCarrier } from '../carrier.js';
import { twilioClient } from '../testing/twilio-client.js';

const ACCOUNT = `AC${'0'.repeat(32)}`;
const TOKEN = 'a-token-of-a-test-account';
const basic = `Basic ${Buffer.from(`${ACCOUNT}:${TOKEN}`).toString('base64')}`;

let carrier: SimulatedCarrier;
let client: twilio.Twilio;
let owner: Server;
let ownerUrl: string;
/** What the owner of a number was asked, and whether the signature held. */
const asked: { path: string; form: Record<string, string>; signed: boolean }[] = [];

beforeAll(async () => {
  carrier = await startSimulatedCarrier({
    port: 0,
    accountSid: ACCOUNT,
    authToken: TOKEN,
    log: silentLog,
    media: false,
  });
  client = twilioClient(carrier.url, ACCOUNT, TOKEN);
  owner = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(parts).toString()));
    const signature = String(request.headers['x-twilio-signature']);
    asked.push({
      path: request.url ?? '',
      form,
      signed: twilio.validateRequest(TOKEN, signature, ownerUrl + request.url, form),
    });
    response.writeHead(200, { 'content-type': 'text/xml' });
    response.end('<Response><Say>Hello.</Say><Hangup/></Response>');
  });
  await new Promise<void>((resolve) => owner.listen(0, '127.0.0.1', resolve));
  ownerUrl = `http://127.0.0.1:${(owner.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await carrier?.close();
  await new Promise((resolve) => owner?.close(resolve));
});

const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: { code: number }) => error.code,
  );

describe("the simulated carrier's numbers", () => {
  it('are searched by area code, bought, listed and released, as with Twilio', async () => {
    const [offer] = await client.availablePhoneNumbers('US').local.list({ areaCode: 512, limit: 1 });
    expect(offer).toMatchObject({ isoCountry: 'US', region: 'TX', locality: 'Austin' });
    const phoneNumber = offer!.phoneNumber;
    const bought = await client.incomingPhoneNumbers.create({ phoneNumber, voiceUrl: `${ownerUrl}/voice` });
    expect(bought.sid).toMatch(/^PN[0-9a-f]{32}$/);
    expect(await client.incomingPhoneNumbers.list({ phoneNumber })).toHaveLength(1);
    const left = await client.availablePhoneNumbers('US').local.list({ areaCode: 512, limit: 1 });
    expect(left[0]!.phoneNumber).not.toBe(phoneNumber);
    await client.incomingPhoneNumbers(bought.sid).remove();
    expect(await client.incomingPhoneNumbers.list({ phoneNumber })).toEqual([]);
  });

  it('refuse what Twilio refuses', async () => {
    expect(await refused(client.incomingPhoneNumbers.create({ phoneNumber: '+15125559999' }))).toBe(21422);
    expect(await refused(client.incomingPhoneNumbers.create({ phoneNumber: '12' }))).toBe(21421);
    expect(await refused(client.incomingPhoneNumbers(`PN${'0'.repeat(32)}`).remove())).toBe(20404);
    expect(await refused(client.availablePhoneNumbers('ZZ').local.list({ limit: 1 }))).toBe(20404);
  });

  it('can be called by test people: signed requests ask the owner for TwiML and report the end', async () => {
    const [offer] = await client.availablePhoneNumbers('CA').local.list({ limit: 1 });
    const to = offer!.phoneNumber;
    await client.incomingPhoneNumbers.create({
      phoneNumber: to,
      voiceUrl: `${ownerUrl}/voice`,
      statusCallback: `${ownerUrl}/status`,
    });
    const callOver = (network: Record<string, string>) =>
      fetch(`${carrier.url}/simulation/calls`, {
        method: 'POST',
        headers: { authorization: basic },
        body: new URLSearchParams({ To: to, From: '+15005550006', ...network }),
      });
    expect((await callOver({ Network: 'telegraph' })).status).toBe(400);
    const call = await callOver({ Network: 'bad' });
    expect(call.status).toBe(201);
    const { sid } = (await call.json()) as { sid: string };
    const of = (path: string) => asked.find((each) => each.path === path && each.form.CallSid === sid);
    await expect.poll(() => of('/status')).toBeDefined();
    expect(of('/voice')).toMatchObject({
      signed: true,
      form: { Direction: 'inbound', From: '+15005550006', To: to, CallStatus: 'ringing' },
    });
    expect(of('/status')).toMatchObject({ signed: true, form: { CallStatus: 'completed' } });
    const account = await fetch(`${carrier.url}/simulation/calls/${sid}`, {
      headers: { authorization: basic },
    });
    expect(await account.json()).toMatchObject({ sid, status: 'completed' });
    expect(await client.calls(sid).fetch()).toMatchObject({ direction: 'inbound', to });
  });
});

describe("the simulated carrier's text messages", () => {
  it('are kept for who tests, and refused without a body', async () => {
    const sent = { from: '+15005550100', to: '+14155550123', body: 'Your code is 123456.' };
    await client.messages.create(sent);
    const inbox = await fetch(`${carrier.url}/simulation/messages?To=%2B14155550123`, {
      headers: { authorization: basic },
    });
    expect(await inbox.json()).toMatchObject([sent]);
    expect(await refused(client.messages.create({ ...sent, body: '' }))).toBe(21602);
    expect((await fetch(`${carrier.url}/simulation/messages`)).status).toBe(401);
  });
});
