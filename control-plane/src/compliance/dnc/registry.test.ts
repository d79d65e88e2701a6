import { ScriptedClock } from '@voice/shared/clock/scripted-clock';
import { derivedId, newId, newTenantId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { apiError } from '../../platform/http/error-codes.js';
import type { Position } from '../../platform/http/pagination.js';
import { ownedBy, type TenantScope } from '../../platform/store/tenant-scope.js';
import { callRoute, namesOf } from '../../testing/call-route.js';
import { startTestStore, type TestStore } from '../../testing/store.js';
import { operatorDncRoutes } from './internal-routes.js';
import { type DncEntryModel, dncEntryModel, type OperatorDncModel, operatorDncModel } from './model.js';
import { OptOuts } from './opt-outs.js';
import { DncRegistry } from './registry.js';
import { dncRoutes } from './routes.js';

const NUMBER = '+12125550123';

let store: TestStore;
let entries: DncEntryModel;
let operator: OperatorDncModel;
let clock: ScriptedClock;
let scope: TenantScope;
let registry: DncRegistry;

beforeAll(async () => {
  store = await startTestStore();
  const connection = await store.connect();
  entries = dncEntryModel(connection);
  operator = operatorDncModel(connection);
});
afterAll(() => store?.close());
beforeEach(async () => {
  clock = new ScriptedClock();
  scope = { tenant: newTenantId(), sandbox: false };
  await operator.deleteMany({});
  registry = new DncRegistry({
    entries,
    operator,
    clock,
    // A cursor names its list: it is good for no other.
    cursors: {
      encode: (list, { createdAt, id }) => `${list} ${createdAt.getTime()} ${id}`,
      decode: (list, cursor): Position => {
        const [of, at, id] = cursor.split(' ');
        if (of !== list) throw apiError('invalid_cursor');
        return { createdAt: new Date(Number(at)), id: id! };
      },
    },
  });
});

const numbers = (count: number) => Array.from({ length: count }, (_, n) => `+1212${2_000_000 + n}`);
const numbersOf = (rows: readonly { number: string }[]) => rows.map(({ number }) => number);
const page = (more: object = {}) =>
  registry.list(scope, { offset: 0, limit: 2, include_total: true, ...more });

describe("a tenant's list", () => {
  it('keeps of an entry where it came from, once', async () => {
    const callId = newId();
    expect(await registry.add(scope, [NUMBER], { source: 'opt_out', callId, quote: 'Stop.' })).toBe(1);
    expect(await registry.add(scope, [NUMBER, '+12125550124'], { source: 'import' })).toBe(1);
    const own = { ...ownedBy(scope), created_at: new Date(clock.now()) };
    // Stored lists are found by these ids.
    const idOf = (number: string) => derivedId(scope.tenant, `dnc:${number}`);
    expect(await entries.find(ownedBy(scope)).sort({ number: 1 }).lean()).toEqual([
      {
        ...own,
        _id: idOf(NUMBER),
        number: NUMBER,
        source: 'opt_out',
        note: null,
        call_id: callId,
        quote: 'Stop.',
      },
      {
        ...own,
        _id: idOf('+12125550124'),
        number: '+12125550124',
        source: 'import',
        note: null,
        call_id: null,
        quote: null,
      },
    ]);
  });

  it('says of one number whether it is new', async () => {
    const first = await registry.addOne(scope, NUMBER, { source: 'api', note: 'by letter' });
    expect(first).toMatchObject({ added: true, entry: { number: NUMBER, source: 'api', note: 'by letter' } });
    const again = await registry.addOne(scope, NUMBER, { source: 'import' });
    expect(again).toEqual({ added: false, entry: first.entry });
    expect(await registry.get(scope, first.entry._id)).toEqual(first.entry);
  });

  it('takes more numbers than fit into one write', async () => {
    expect(await registry.add(scope, numbers(2001), { source: 'import' })).toBe(2001);
    expect(await entries.countDocuments(ownedBy(scope))).toBe(2001);
  });

  it('is one in each mode, and the operator’s comes on top', async () => {
    const sandbox = { ...scope, sandbox: true };
    await registry.add(scope, [NUMBER], { source: 'api' });
    expect(await registry.listedBy(scope, NUMBER)).toEqual(['tenant']);
    expect(await registry.listedBy(sandbox, NUMBER)).toEqual([]);
    await registry.addForAll([NUMBER], null);
    expect(await registry.listedBy(scope, NUMBER)).toEqual(['tenant', 'operator']);
    expect(await registry.listedBy(sandbox, NUMBER)).toEqual(['operator']);
    // Both modes have their own entry.
    expect(await registry.add(sandbox, [NUMBER], { source: 'api' })).toBe(1);
  });

  it.each([
    ['as it is dialed abroad', '+442079460000', '+4402079460000'],
    ['with the zero of a call within the country', '+4402079460000', '+442079460000'],
  ])('holds a number %s, and knows it in the other spelling', async (_written, listed, dialed) => {
    await registry.add(scope, [listed, dialed], { source: 'api' });
    await registry.addForAll([listed], null);
    for (const number of [listed, dialed]) {
      expect(await registry.listedBy(scope, number)).toEqual(['tenant', 'operator']);
      expect(await page({ phone_number: number })).toMatchObject({
        total: 1,
        rows: [{ number: '+442079460000' }],
      });
      expect(await registry.addOne(scope, number, { source: 'api' })).toMatchObject({ added: false });
    }
    expect(await registry.removeForAll(dialed)).toBe(true);
    expect(await registry.listedBy(scope, listed)).toEqual(['tenant']);
  });

  it('knows an entry of before that was kept as it was written', async () => {
    const number = '+4402079460000';
    const _id = derivedId(scope.tenant, `dnc:${number}`);
    await entries.create({ _id, ...ownedBy(scope), number, source: 'api', created_at: new Date() });
    await operator.create({ _id: number, created_at: new Date() });
    expect(await registry.listedBy(scope, number)).toEqual(['tenant', 'operator']);
    expect(await page({ phone_number: number })).toMatchObject({ total: 1, rows: [{ number }] });
    expect(await registry.removeForAll(number)).toBe(true);
    expect(await registry.listedBy(scope, number)).toEqual(['tenant']);
  });

  it('gives up an entry once', async () => {
    const { entry } = await registry.addOne(scope, NUMBER, { source: 'api' });
    await registry.remove(scope, entry._id);
    expect(await registry.listedBy(scope, NUMBER)).toEqual([]);
    const gone = { code: 'dnc_entry_not_found' };
    await expect(registry.remove(scope, entry._id)).rejects.toMatchObject(gone);
    await expect(registry.get(scope, entry._id)).rejects.toMatchObject(gone);
  });

  it('is read newest first, by place or by cursor, and by number or source', async () => {
    for (const number of numbers(5)) {
      await registry.add(scope, [number], { source: number.endsWith('4') ? 'import' : 'api' });
      clock.advance(1);
    }
    const all = numbers(5).reverse();
    const first = await page();
    expect(numbersOf(first.rows)).toEqual(all.slice(0, 2));
    expect(first).toMatchObject({ total: 5, has_more: true });
    // The cursor wins over the place.
    const second = await page({ cursor: first.next_cursor, offset: 4 });
    expect(numbersOf(second.rows)).toEqual(all.slice(2, 4));
    const last = await page({ cursor: second.next_cursor });
    expect(numbersOf(last.rows)).toEqual(all.slice(4));
    expect(last).toMatchObject({ has_more: false, next_cursor: null });
    expect(numbersOf((await page({ offset: 3 })).rows)).toEqual(all.slice(3));
    expect(await page({ phone_number: all[1] })).toMatchObject({ total: 1, rows: [{ number: all[1] }] });
    expect(await page({ source: 'import' })).toMatchObject({ total: 1, rows: [{ number: all[0] }] });
    const stranger = { tenant: newTenantId(), sandbox: false };
    await expect(
      registry.list(stranger, { offset: 0, limit: 2, cursor: first.next_cursor! }),
    ).rejects.toMatchObject({ code: 'invalid_cursor' });
  });
});

describe("the operator's list", () => {
  it('holds a number once and gives it up once', async () => {
    expect(await registry.addForAll(numbers(1001), 'court')).toBe(1001);
    expect(await registry.addForAll([numbers(1)[0]!, NUMBER], null)).toBe(1);
    expect(await operator.findById(numbers(1)[0]).lean()).toEqual({
      _id: numbers(1)[0],
      note: 'court',
      created_at: new Date(clock.now()),
    });
    expect([await registry.removeForAll(NUMBER), await registry.removeForAll(NUMBER)]).toEqual([true, false]);
  });

  it('is read by number, from the one after another', async () => {
    await registry.addForAll(numbers(3).reverse(), null);
    const [first, second, third] = numbers(3);
    const ids = ({ rows, hasMore }: Awaited<ReturnType<DncRegistry['listForAll']>>) => [
      rows.map(({ _id }) => _id),
      hasMore,
    ];
    expect(ids(await registry.listForAll(undefined, 2))).toEqual([[first, second], true]);
    expect(ids(await registry.listForAll(undefined, 3))).toEqual([[first, second, third], false]);
    expect(ids(await registry.listForAll(first, 2))).toEqual([[second, third], false]);
  });
});

describe('the API of the list', () => {
  const routes = () => dncRoutes(registry);
  const call = (operationId: string, request: object = {}) =>
    callRoute(routes(), operationId, { scope, ...request });

  it('has these operations', () => {
    expect(namesOf(routes())).toEqual([
      'get /api/v1/compliance/dnc listDoNotCall (Compliance, tenant_in_mode) invalid_cursor',
      'post /api/v1/compliance/dnc addDoNotCall (Compliance, tenant_in_mode)',
      'post /api/v1/compliance/dnc/import importDoNotCall (Compliance, tenant_in_mode) csv_invalid',
      'get /api/v1/compliance/dnc/{entry_id} getDoNotCall (Compliance, tenant_in_mode) dnc_entry_not_found',
      'delete /api/v1/compliance/dnc/{entry_id} removeDoNotCall (Compliance, tenant_in_mode) dnc_entry_not_found',
    ]);
    expect(routes().map(({ bodyType }) => bodyType)).toEqual([
      undefined,
      undefined,
      'stream',
      undefined,
      undefined,
    ]);
  });

  it('adds a number once, shows it and takes it off', async () => {
    const first = await call('addDoNotCall', { body: { phone_number: NUMBER, note: 'x'.repeat(500) } });
    expect(first).toEqual({
      status: 201,
      body: {
        id: expect.any(String),
        phone_number: NUMBER,
        source: 'api',
        note: 'x'.repeat(500),
        call_id: null,
        quote: null,
        created_at: new Date(clock.now()).toISOString(),
      },
    });
    const again = await call('addDoNotCall', { body: { phone_number: NUMBER } });
    expect(again).toEqual({ status: 200, body: first.body });
    const params = { entry_id: (first.body as { id: string }).id };
    expect(await call('getDoNotCall', { params })).toEqual({ status: 200, body: first.body });
    expect(await call('removeDoNotCall', { params })).toEqual({ status: 204 });
    await expect(call('getDoNotCall', { params })).rejects.toMatchObject({ code: 'dnc_entry_not_found' });
  });

  it.each([
    [{ phone_number: NUMBER, note: 'x'.repeat(501) }],
    [{ phone_number: NUMBER, another: 1 }],
    [{ phone_number: '2125550123' }],
  ])('refuses %j', async (body) => {
    await expect(call('addDoNotCall', { body })).rejects.toThrow();
    expect((await page()).total).toBe(0);
  });

  it('lists fifty at once by default, and up to 500', async () => {
    await registry.add(scope, numbers(60), { source: 'opt_out', quote: 'Stop.' });
    const listed = await call('listDoNotCall');
    expect(listed.body).toMatchObject({ has_more: true });
    expect(listed.body).not.toHaveProperty('total');
    const { entries: shown } = listed.body as { entries: { source: string; quote: string | null }[] };
    expect(shown).toHaveLength(50);
    expect(shown[0]).toMatchObject({ source: 'opt_out', quote: 'Stop.' });
    const rest = await call('listDoNotCall', { query: { offset: '59', limit: '500' } });
    expect(rest.body).toMatchObject({ entries: [{}], has_more: false });
    expect((await call('listDoNotCall', { query: { limit: '1' } })).body).toMatchObject({ entries: [{}] });
    for (const limit of ['0', '501']) {
      await expect(call('listDoNotCall', { query: { limit } })).rejects.toThrow();
    }
  });

  it('imports a list of numbers and says what came of it', async () => {
    await registry.add(scope, [NUMBER], { source: 'api' });
    const { NumberList } = await import('./numbers-csv.js');
    const list = new NumberList();
    for (const number of [NUMBER, ...numbers(3)]) list.add(number);
    list.refuse({ line: 9, code: 'phone_invalid', message: 'no' });
    expect(await call('importDoNotCall', { body: list })).toEqual({
      status: 201,
      body: {
        rows: 5,
        added: 3,
        already_listed: 1,
        error_count: 1,
        errors: [{ line: 9, code: 'phone_invalid', message: 'no' }],
      },
    });
    expect(await page({ source: 'import' })).toMatchObject({ total: 3 });
    await expect(call('importDoNotCall', { body: { numbers: [] } })).rejects.toThrow();
  });
});

describe("the API of the operator's list", () => {
  const routes = () => operatorDncRoutes(registry);
  const call = (operationId: string, request: object = {}) => callRoute(routes(), operationId, request);

  it('has these operations, between the planes alone', () => {
    expect(namesOf(routes())).toEqual([
      'get /internal/compliance/dnc operatorListDoNotCall (Internal, inter_plane)',
      'post /internal/compliance/dnc operatorAddDoNotCall (Internal, inter_plane)',
      'delete /internal/compliance/dnc/{phone_number} operatorRemoveDoNotCall (Internal, inter_plane) dnc_entry_not_found',
    ]);
  });

  it('adds numbers once, lists them and takes them off', async () => {
    const body = { phone_numbers: [NUMBER, NUMBER, '+12125550124'], note: 'court' };
    expect(await call('operatorAddDoNotCall', { body })).toEqual({
      status: 200,
      body: { added: 2, already_listed: 0 },
    });
    expect(await call('operatorAddDoNotCall', { body: { phone_numbers: [NUMBER] } })).toEqual({
      status: 200,
      body: { added: 0, already_listed: 1 },
    });
    const shown = { phone_number: NUMBER, note: 'court', created_at: new Date(clock.now()).toISOString() };
    expect(await call('operatorListDoNotCall', { query: { limit: '1' } })).toEqual({
      status: 200,
      body: { entries: [shown], has_more: true },
    });
    const rest = await call('operatorListDoNotCall', { query: { after: NUMBER } });
    expect(rest.body).toMatchObject({ entries: [{ phone_number: '+12125550124' }], has_more: false });
    const params = { phone_number: NUMBER };
    expect(await call('operatorRemoveDoNotCall', { params })).toEqual({ status: 204 });
    await expect(call('operatorRemoveDoNotCall', { params })).rejects.toMatchObject({
      code: 'dnc_entry_not_found',
    });
  });

  it('lists a hundred at once by default, and up to 1,000', async () => {
    await registry.addForAll(numbers(101), null);
    const length = async (query: object) =>
      ((await call('operatorListDoNotCall', { query })).body as { entries: object[] }).entries.length;
    expect(await length({})).toBe(100);
    expect(await length({ limit: '1000' })).toBe(101);
    for (const limit of ['0', '1001']) await expect(length({ limit })).rejects.toThrow();
  });

  it.each([
    [{ phone_numbers: [] }],
    [{ phone_numbers: Array(10_001).fill(NUMBER) }],
    [{ phone_numbers: [NUMBER], note: 'x'.repeat(501) }],
    [{ phone_numbers: ['1'] }],
  ])('refuses %.60j', async (body) => {
    await expect(call('operatorAddDoNotCall', { body })).rejects.toThrow();
  });

  it('takes 10,000 numbers and a note of 500 characters at once', async () => {
    const body = { phone_numbers: Array(10_000).fill(NUMBER), note: 'x'.repeat(500) };
    expect((await call('operatorAddDoNotCall', { body })).body).toEqual({ added: 1, already_listed: 0 });
  });
});

describe('somebody who asks in a call not to be called again', () => {
  const said = (text: string, role: 'caller' | 'agent' = 'caller') => ({
    kind: 'turn',
    turn: { role, text },
  });
  const reportEvent = async (event: object, direction: 'inbound' | 'outbound' = 'outbound') => {
    const call = {
      _id: newId(),
      ...ownedBy(scope),
      direction,
      from_number: '+12125550101',
      to_number: '+12125550102',
    };
    await new OptOuts(registry, silentLog).addIfRequested(call, event as never);
    return call;
  };
  const ASKED = 'Take me off your list, please.';

  it('is put on the list, with the call and the words', async () => {
    const call = await reportEvent(said(ASKED));
    expect(await page()).toMatchObject({
      total: 1,
      rows: [{ number: call.to_number, source: 'opt_out', call_id: call._id, quote: ASKED }],
    });
  });

  it('is the caller, where the call came in', async () => {
    const call = await reportEvent(said(ASKED), 'inbound');
    expect((await page()).rows).toMatchObject([{ number: call.from_number }]);
  });

  it('is quoted with 500 characters at most', async () => {
    await reportEvent(said(`${ASKED} ${'x'.repeat(600)}`));
    expect((await page()).rows[0]!.quote).toHaveLength(500);
  });

  it.each([
    ['what the agent says', said(ASKED, 'agent')],
    ['other words', said('Call me again tomorrow.')],
    ['what is no turn', { kind: 'dtmf', turn: { role: 'caller', text: ASKED } }],
  ])('is not found in %s', async (_what, event) => {
    await reportEvent(event);
    expect((await page()).total).toBe(0);
  });

  it('is written to the log once', async () => {
    const lines: object[] = [];
    const log = { ...silentLog, info: (fields: object) => lines.push(fields) };
    const call = { _id: newId(), ...ownedBy(scope), direction: 'outbound' as const, from_number: NUMBER };
    const optOuts = new OptOuts(registry, log);
    for (let n = 0; n < 2; n++) {
      await optOuts.addIfRequested({ ...call, to_number: NUMBER }, said(ASKED) as never);
      expect(lines).toEqual([{ call_id: call._id, tenant: scope.tenant }]);
    }
  });
});
