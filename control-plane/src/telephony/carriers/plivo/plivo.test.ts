import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PlivoCall } from '../../../../../loadtest/emulators/plivo/emulated-call.js';
import { type PlivoEmulator, startPlivoEmulator } from '../../../../../loadtest/emulators/plivo/server.js';
import { plivoHeaders } from '../../../../../loadtest/emulators/plivo/signature.js';
import { ended, mediaStarted } from '../../../calls/testing/events.js';
import type { TestControlPlane } from '../../../testing/control-plane.js';
import { eventually } from '../../../testing/eventually.js';
import type { ScriptedWorker } from '../../../testing/scripted-worker.js';
import type { PhoneNumberResponse } from '../../phones/schemas.js';
import { CALLEE, CarrierInstallation, type CarrierTenant, HUMAN } from '../testing/carrier-installation.js';
import { SealedInstructions } from './instruction.js';
import { plivoFailure } from './rest-client.js';
import { plivoSignature, signedText } from './signature.js';
import { plivoXml } from './xml.js';

const ACCOUNT = { authId: 'MATEST', authToken: 'plivo-token', appId: '7' };

let plivo: PlivoEmulator;
let installation: CarrierInstallation;
let plane: TestControlPlane;
let worker: ScriptedWorker;
let tenant: CarrierTenant;
let key: string;
let agentId: string;
let own: PhoneNumberResponse;

beforeAll(async () => {
  // The stream is the worker's matter.
  plivo = await startPlivoEmulator({ ...ACCOUNT, media: false });
  installation = await CarrierInstallation.start('plivo', {
    PLIVO_API_URL: plivo.url,
    PLIVO_AUTH_ID: ACCOUNT.authId,
    PLIVO_AUTH_TOKEN: ACCOUNT.authToken,
    PLIVO_APP_ID: ACCOUNT.appId,
  });
  ({ plane, worker } = installation);
  const base = `${plane.url}/internal/carriers/plivo`;
  plivo.calls.application = { answerUrl: `${base}/inbound`, hangupUrl: `${base}/status` };
});
afterAll(async () => {
  await plivo?.close();
  await installation?.close();
});
beforeEach(async () => {
  tenant = await installation.newTenant();
  ({ key, agentId, own } = tenant);
});

const get = (id: string) => tenant.call(id);
const untilStatus = (id: string, status: string) => tenant.untilStatus(id, status);

async function dialed(to = CALLEE): Promise<{ id: string; line: PlivoCall }> {
  const { id, carrier_call_id } = await tenant.dial(to);
  return { id, line: plivo.calls.all.find((call) => call.id === carrier_call_id)! };
}

async function live() {
  const call = await dialed();
  void plivo.calls.answer(call.line);
  await untilStatus(call.id, 'IN_PROGRESS');
  await worker.send(plane, worker.number(call.id, [mediaStarted(call.line.id)]));
  return call;
}

describe('a call over Plivo', () => {
  it('rings, is answered with a stream to the worker, and ends', async () => {
    const { id, line } = await dialed();
    expect(line).toMatchObject({
      from: own.phone_number.slice(1),
      to: CALLEE.slice(1),
      direction: 'outbound',
    });
    await untilStatus(id, 'RINGING');
    void plivo.calls.answer(line);
    await untilStatus(id, 'IN_PROGRESS');
    await eventually(() => line.asked);
    const token = Buffer.from(/token=(\w+)/.exec(line.asked!.extraHeaders)![1]!, 'hex').toString();
    expect(line.asked!.extraHeaders).toContain(`callId=${id.replaceAll('-', '')},`);
    expect(token).not.toBe('');
    expect(plivo.calls.invalid).toEqual([]);
    await worker.send(plane, worker.number(id, [mediaStarted(line.id), ended('caller_hangup', 1000)]));
    await plivo.calls.hangUp(line, 'completed');
    expect(await untilStatus(id, 'COMPLETED')).toMatchObject({ carrier_call_id: line.id });
  });

  it.each([
    ['busy', 'BUSY', 'busy'],
    ['no-answer', 'NO_ANSWER', 'no_answer'],
    ['failed', 'FAILED', 'carrier_failed'],
  ] as const)('that ends with %s is %s', async (end, status, reason) => {
    const { id, line } = await dialed();
    await plivo.calls.hangUp(line, end);
    expect(await untilStatus(id, status)).toMatchObject({ end_reason: reason });
  });

  it('that Plivo will not ring is FAILED as rejected', async () => {
    const answer = await plane.request('POST', '/api/v1/calls', {
      key,
      body: { agent_id: agentId, from_number: own.phone_number, to_number: '+15005550016' },
    });
    const { id } = answer.json as { id: string };
    expect(await untilStatus(id, 'FAILED')).toMatchObject({ end_reason: 'rejected' });
  });

  it('is hung up whether it rings or was answered', async () => {
    const ringing = await dialed();
    expect(
      (await plane.request('POST', `/api/v1/calls/${ringing.id}/hangup`, { key, body: {} })).status,
    ).toBe(202);
    await eventually(() => ringing.line.state === 'ended' || undefined);
    expect(ringing.line.hangupCause).toBe(1000);
  });

  it('reports a machine', async () => {
    const { id, line } = await live();
    const asked = `${plane.url}/internal/carriers/plivo/machine?call_id=${id}`;
    const fields = {
      CallUUID: line.id,
      CallStatus: 'in-progress',
      Event: 'MachineDetection',
      Machine: 'true',
    };
    const answer = await fetch(asked, {
      method: 'POST',
      headers: plivoHeaders(ACCOUNT.authToken, asked, fields),
      body: new URLSearchParams(fields).toString(),
    });
    expect(answer.status).toBe(204);
    expect(await get(id)).toMatchObject({ answered_by: 'machine_start' });
  });

  it('is brought to somebody else: cold by dialing, warm by meeting in a room', async () => {
    const cold = await live();
    expect((await tenant.transfer(cold.id)).status).toBe(200);
    await eventually(() => plivo.calls.all.find(({ to }) => to === HUMAN.slice(1)));
    const warm = await live();
    const briefing = 'Ada & "Bo" want <help>.';
    const asked = await tenant.transfer(warm.id, { transfer_type: 'warm', briefing });
    expect(asked.status, asked.text).toBe(200);
    const leg = await eventually(() => plivo.calls.all.filter(({ to }) => to === HUMAN.slice(1)).at(1));
    void plivo.calls.answer(leg!);
    await eventually(() => (warm.line.room && leg!.room) || undefined);
    expect([leg!.heard, warm.line.room]).toEqual([[briefing], leg!.room]);
    expect(plivo.calls.invalid).toEqual([]);
  });
});

describe('a number of ours at Plivo', () => {
  it('is answered by its agent', async () => {
    await plane.request('PATCH', `/api/v1/phones/${own.id}`, { key, body: { agent_id: agentId } });
    const line = plivo.calls.callIn(CALLEE, own.phone_number);
    await eventually(() => line.asked);
    const { calls } = (await plane.request('GET', '/api/v1/calls?direction=inbound', { key })).json as {
      calls: { carrier_call_id: string; from_number: string }[];
    };
    expect(calls).toMatchObject([{ carrier_call_id: line.id, from_number: CALLEE }]);
  });

  it('says a polite word without an agent, and is released', async () => {
    const line = plivo.calls.callIn(CALLEE, own.phone_number);
    await eventually(() => line.state === 'ended' || undefined);
    expect(line.heard).toHaveLength(1);
    const { status } = await plane.request('DELETE', `/api/v1/phones/${own.id}`, { key });
    expect(status).toBe(204);
    expect(() => plivo.numbers.owned(own.phone_number.slice(1))).toThrow('not found');
  });
});

describe("Plivo's signature", () => {
  const callback = async (
    changes: { headers?: Record<string, string>; body?: string; query?: string } = {},
  ) => {
    const url = `${plane.url}/internal/carriers/plivo/status?call_id=x`;
    const fields = { CallUUID: 'a'.repeat(36), CallStatus: 'ringing' };
    return fetch(url + (changes.query ?? ''), {
      method: 'POST',
      headers: { ...plivoHeaders(ACCOUNT.authToken, url, fields), ...changes.headers },
      body: changes.body ?? new URLSearchParams(fields).toString(),
    });
  };

  it('is wanted of the address, the body and the nonce', async () => {
    expect((await callback()).status).toBe(404);
    const forgeries: Parameters<typeof callback>[0][] = [
      { headers: { 'x-plivo-signature-v3': 'AAAA' } },
      { headers: { 'x-plivo-signature-v3-nonce': 'another' } },
      { query: '&call_id=y' },
      { body: new URLSearchParams({ CallUUID: 'a'.repeat(36), CallStatus: 'completed' }).toString() },
    ];
    for (const forged of forgeries) {
      const answer = await callback(forged);
      expect([answer.status, await answer.json()]).toMatchObject([401, { code: 'invalid_signature' }]);
    }
  });

  it('may be one of several, while the token is being changed', async () => {
    const url = `${plane.url}/internal/carriers/plivo/status?call_id=x`;
    const headers = plivoHeaders(ACCOUNT.authToken, url, { CallUUID: 'a'.repeat(36), CallStatus: 'ringing' });
    const both = `AAAA,${headers['x-plivo-signature-v3']}`;
    expect((await callback({ headers: { ...headers, 'x-plivo-signature-v3': both } })).status).toBe(404);
  });

  it("is that of the vendor's SDK", () => {
    const form = new URLSearchParams({ b: '2', a: '1 1' });
    const text = signedText('https://voice.example.com/x/y?z=%2B1&call_id=c', form, 'n');
    expect(text).toBe('https://voice.example.com/x/y?call_id=c&z=+1.a1 1b2.n');
    expect(signedText('https://voice.example.com/x', form, 'n')).toBe('https://voice.example.com/x?a1 1b2.n');
    expect(signedText('https://voice.example.com/x', new URLSearchParams(), 'n')).toBe(
      'https://voice.example.com/x.n',
    );
    expect(plivoSignature('t', text)).toMatch(/^[A-Za-z0-9+/]{43}=$/);
  });
});

describe('what is sent to Plivo', () => {
  it('travels sealed, and opens nowhere else', () => {
    const sealed = new SealedInstructions('t').wrap({ do: 'say', text: 'The code is 482913.' });
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('482913');
    expect(new SealedInstructions('t').open(sealed)).toEqual({ do: 'say', text: 'The code is 482913.' });
    const changed = sealed.slice(0, 20) + (sealed[20] === 'A' ? 'B' : 'A') + sealed.slice(21);
    for (const wrong of ['', 'AAAA', changed, sealed.slice(4)]) {
      expect(() => new SealedInstructions('t').open(wrong)).toThrow('not one of ours');
    }
    expect(() => new SealedInstructions('u').open(sealed)).toThrow('not one of ours');
  });

  it('lets nobody who is transferred talk for longer than four hours', () => {
    const action = 'https://a.example/dialed';
    expect(plivoXml({ do: 'dial', from: '+13125550101', to: HUMAN, action })).toContain('timeLimit="14400"');
  });

  it('is XML in which nothing can end an element', () => {
    expect(plivoXml({ do: 'say', text: `</Speak><Dial>&"'` })).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><Response><Speak>&lt;/Speak&gt;&lt;Dial&gt;&amp;&quot;&apos;</Speak><Hangup/></Response>',
    );
  });

  it.each([
    [400, '{"error":"to is not a valid phone number"}', 'rejected'],
    [400, '{"error":"answer_url is missing"}', 'failed'],
    [429, '', 'not_dialed'],
    [503, '', 'not_dialed'],
    [500, '', 'unknown'],
    [401, '', 'failed'],
  ])('and refuses with %i %s is %s', (status, text, kind) => {
    expect(plivoFailure(status, text)).toMatchObject({ kind, code: `plivo_${status}` });
  });
});
