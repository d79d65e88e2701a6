/** @replicas A number that is listed by one replica is not called by the other. */

import { SANDBOX_CALLER_ID } from '@voice/shared/contracts/test-numbers';
import { newId } from '@voice/shared/ids/ids';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mediaStarted } from '../../calls/testing/events.js';
import type { TestAnswer, TestControlPlane } from '../../testing/control-plane.js';
import { eventually } from '../../testing/eventually.js';
import { createAgent, startTestInstallation } from '../../testing/installation.js';
import type { ScriptedCarrier } from '../../testing/scripted-carrier.js';
import type { ScriptedWorker } from '../../testing/scripted-worker.js';

const TALKS = '+15005550006';
const NUMBER = '+12125550123';
const PATH = '/api/v1/compliance/dnc';

interface Entry {
  readonly id: string;
  readonly phone_number: string;
}

let plane: TestControlPlane;
let carrier: ScriptedCarrier;
let worker: ScriptedWorker;
let key: string;

beforeAll(async () => {
  const installation = await startTestInstallation();
  ({ carrier, plane, worker } = installation);
  return installation.close;
});
beforeEach(async () => {
  ({ key } = await plane.newKey());
});

const add = (phone_number: string, by = key, note?: string) =>
  plane.request('POST', PATH, { key: by, body: { phone_number, ...(note === undefined ? {} : { note }) } });
const list = async (query = '', by = key) =>
  (await plane.request('GET', `${PATH}?include_total=true${query.replace('?', '&')}`, { key: by })).json as {
    entries: (Entry & { source: string; call_id: string | null; quote: string | null })[];
    total: number;
    has_more: boolean;
    next_cursor: string | null;
  };
const reasonsFor = async (to_number: string, by = key) => {
  const answer = await plane.request('POST', '/api/v1/compliance/check', { key: by, body: { to_number } });
  return (answer.json as { reasons: string[] }).reasons.filter((reason) => reason === 'do_not_call');
};

async function upload(file: string | Buffer, headers: Record<string, string> = {}): Promise<TestAnswer> {
  const form = new FormData();
  form.set('file', new Blob([file], { type: 'text/csv' }), 'list.csv');
  const response = await fetch(`${plane.url}${PATH}/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: form,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}

describe("the tenant's do-not-call list", () => {
  // @rule 1.8
  it('denies calls to a number from when it is added until it is removed', async () => {
    expect(await reasonsFor(NUMBER)).toEqual([]);
    const added = await add(NUMBER, key, 'asked by letter');
    expect(added.status).toBe(201);
    expect(added.json).toMatchObject({
      phone_number: NUMBER,
      source: 'api',
      note: 'asked by letter',
      call_id: null,
    });
    expect(await reasonsFor(NUMBER)).toEqual(['do_not_call']);
    const { id } = added.json as Entry;
    expect((await plane.request('GET', `${PATH}/${id}`, { key })).json).toEqual(added.json);
    expect((await plane.request('DELETE', `${PATH}/${id}`, { key })).status).toBe(204);
    expect(await reasonsFor(NUMBER)).toEqual([]);
    expect((await plane.request('DELETE', `${PATH}/${id}`, { key })).json).toMatchObject({
      code: 'dnc_entry_not_found',
    });
  });

  it('holds a number once, however often and by however many at once it is added', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => add(NUMBER)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    expect(new Set(answers.map(({ json }) => (json as Entry).id)).size).toBe(1);
    expect((await list()).total).toBe(1);
  });

  it("is the tenant's alone: another's calls, list and entries are untouched", async () => {
    const { id } = (await add(NUMBER)).json as Entry;
    const { key: other } = await plane.newKey();
    expect(await reasonsFor(NUMBER, other)).toEqual([]);
    expect((await list('', other)).entries).toEqual([]);
    for (const method of ['GET', 'DELETE']) {
      const answer = await plane.request(method, `${PATH}/${id}`, { key: other });
      expect([answer.status, answer.json]).toMatchObject([404, { code: 'dnc_entry_not_found' }]);
    }
    expect(await reasonsFor(NUMBER)).toEqual(['do_not_call']);
  });

  it('is listed newest first, by cursor, and by number', async () => {
    for (let i = 0; i < 5; i++) await add(`+1212555010${i}`);
    const first = await list('?limit=2');
    expect(first).toMatchObject({ total: 5, has_more: true });
    const second = await list(`?limit=2&cursor=${first.next_cursor}`);
    const third = await list(`?limit=2&cursor=${second.next_cursor}`);
    expect(third).toMatchObject({ has_more: false, next_cursor: null });
    const seen = [first, second, third].flatMap(({ entries }) => entries.map((e) => e.phone_number));
    expect(new Set(seen).size).toBe(5);
    expect(seen[0]).toBe('+12125550104');
    expect((await list('?phone_number=%2B12125550103')).entries).toMatchObject([
      { phone_number: '+12125550103' },
    ]);
    expect((await list('?source=import')).entries).toEqual([]);
  });

  it('refuses what is no E.164 number', async () => {
    expect((await add('2125550123')).status).toBe(422);
  });
});

describe('the import of a CSV file', () => {
  it('takes a column of numbers in usual notations, lists bad rows by their line, and repeats nothing', async () => {
    await add('+12125550111');
    const answer = await upload(
      '\ufeffname,Phone Number\r\nAnn,(212) 555-0110\r\n"Bob, Jr.",+1 212 555 0111\r\nCid,12\r\nDan,212-555-0110\r\n',
    );
    expect(answer.status, answer.text).toBe(201);
    expect(answer.json).toEqual({
      rows: 4,
      added: 1,
      already_listed: 1,
      error_count: 1,
      errors: [{ line: 4, code: 'phone_invalid', message: '"12" is not a phone number.' }],
    });
    expect(await reasonsFor('+12125550110')).toEqual(['do_not_call']);
    expect((await list('?source=import')).entries).toMatchObject([{ phone_number: '+12125550110' }]);
  });

  it('takes a file of bare numbers without a header, and UTF-16', async () => {
    const bare = await upload(Buffer.from('\ufeff+12125550120\n+442071234567\n', 'utf16le'));
    expect(bare.json).toMatchObject({ rows: 2, added: 2, error_count: 0 });
  });

  it('takes 20,000 numbers', async () => {
    const numbers = Array.from({ length: 20_000 }, (_, i) => `+1212${2_000_000 + i}`);
    expect((await upload(`phone\n${numbers.join('\n')}\n`)).json).toMatchObject({
      rows: 20_000,
      added: 20_000,
    });
  });

  it.each([
    ['an empty file', ''],
    ['a file without a column of numbers', 'name,city\nAnn,Rome\n'],
    ['a file without a usable number', 'phone\nabc\n'],
    ['a file that is no text', Buffer.from([0xc3, 0x28, 0xa0, 0xa1, 0xff])],
  ])('refuses %s and changes nothing', async (_, file) => {
    const answer = await upload(file);
    expect([answer.status, answer.json]).toMatchObject([422, { code: 'csv_invalid' }]);
    expect((await list()).total).toBe(0);
  });

  it('sent again with its Idempotency-Key is answered as before', async () => {
    const once = { 'idempotency-key': newId() };
    const first = await upload('phone\n+12125550130\n', once);
    const second = await upload('phone\n+12125550130\n', once);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('x-idempotent-replay')).toBe('true');
  });
});

describe("the operator's list", () => {
  const NUISANCE = '+12125550199';

  it('binds every tenant, and only the other plane can change it', async () => {
    const path = '/internal/compliance/dnc';
    const added = await plane.internal('POST', path, { phone_numbers: [NUISANCE, NUISANCE], note: 'court' });
    expect([added.status, added.json]).toEqual([200, { added: 1, already_listed: 0 }]);
    const { key: other } = await plane.newKey();
    expect(await reasonsFor(NUISANCE)).toEqual(['do_not_call']);
    expect(await reasonsFor(NUISANCE, other)).toEqual(['do_not_call']);
    expect((await list()).entries).toEqual([]);
    expect((await plane.internal('GET', path)).json).toMatchObject({
      entries: [{ phone_number: NUISANCE, note: 'court' }],
      has_more: false,
    });
    expect((await plane.request('GET', path, { key })).status).toBe(404);
    const one = `${path}/${encodeURIComponent(NUISANCE)}`;
    expect((await plane.internal('DELETE', one)).status).toBe(204);
    expect((await plane.internal('DELETE', one)).status).toBe(404);
    expect(await reasonsFor(NUISANCE)).toEqual([]);
  });

  it('is not in the OpenAPI description', async () => {
    const described = await plane.request('GET', '/v1/openapi.json');
    expect(described.text).toContain(PATH);
    expect(described.text).not.toContain('/internal/');
  });
});

describe('an opt-out heard on a call', () => {
  async function callInProgress(): Promise<string> {
    worker.held.clear();
    await worker.heartbeat(plane);
    const agentId = await createAgent(plane, key);
    const call = await plane.request('POST', '/api/v1/calls', {
      key,
      body: {
        agent_id: agentId,
        from_number: SANDBOX_CALLER_ID,
        to_number: TALKS,
      },
    });
    expect(call.status, call.text).toBe(202);
    const { id } = call.json as { id: string };
    const line = await eventually(() => carrier.callOf(id));
    await worker.send(plane, worker.number(id, [mediaStarted(line!.sid)]));
    return id;
  }
  const said = (role: 'caller' | 'agent', text: string) => ({
    kind: 'turn' as const,
    turn: {
      index: 0,
      role,
      text,
      heard_text: text,
      interrupted: false,
      started_at_ms: 0,
      ended_at_ms: 900,
      confidence: role === 'caller' ? 0.9 : null,
    },
  });

  it('puts the callee on the list, with the call and the words, once', async () => {
    const id = await callInProgress();
    const turn = worker.number(id, [said('caller', 'Take me off your list, please.')]);
    await worker.send(plane, turn);
    await worker.send(plane, turn);
    expect((await list()).entries).toMatchObject([
      { phone_number: TALKS, source: 'opt_out', call_id: id, quote: 'Take me off your list, please.' },
    ]);
    expect(await reasonsFor(TALKS)).toEqual(['do_not_call']);
  });

  it('is stored before the worker may forget it', async () => {
    const id = await callInProgress();
    const turn = worker.number(id, [said('caller', 'Do not call me again.')]);
    const answer = await worker.send(plane, turn);
    expect(answer.json).toMatchObject({ accepted: [{ call_id: id }] });
    expect((await list()).total).toBe(1);
  });

  it('is not made of what the agent says, or of other words', async () => {
    const id = await callInProgress();
    await worker.send(
      plane,
      worker.number(id, [
        said('agent', 'Say "do not call me again" and I will stop.'),
        said('caller', 'Please call me again tomorrow.'),
      ]),
    );
    expect((await list()).total).toBe(0);
  });
});
