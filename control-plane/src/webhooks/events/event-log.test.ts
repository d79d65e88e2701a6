import { asTenantId, type TenantId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CursorCodec } from '../../platform/http/pagination.js';
import { type StoredWebhooks, startStoredWebhooks } from '../testing/stored-webhooks.js';
import { EventLog, LOOKED_THROUGH } from './event-log.js';
import type { EventRow } from './model.js';

let webhooks: StoredWebhooks;
let tenant: TenantId;
let log: EventLog;
beforeAll(async () => {
  webhooks = await startStoredWebhooks();
});
afterAll(() => webhooks?.close());
beforeEach(async () => {
  tenant = await webhooks.reset();
  log = new EventLog({
    events: webhooks.events,
    cursors: new CursorCodec('a key of at least thirty-two characters'),
  });
});

const scope = () => ({ tenant, sandbox: true });
/** Stores events of these types, the oldest first. */
async function published(types: readonly string[], fields: Partial<EventRow> = {}): Promise<EventRow[]> {
  const rows = types.map((type, n) => webhooks.event({ type, created_at: new Date(1000 + n), ...fields }));
  await webhooks.events.insertMany(rows);
  return rows;
}
const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

describe('the log of events', () => {
  it('shows what was published in the mode, the newest first, page by page', async () => {
    const rows = await published(['call.started', 'call.completed', 'agent.activated']);
    await published(['call.started'], { sandbox: false });
    await published(['call.started'], { tenant_id: asTenantId('another') });
    const first = await log.list(scope(), { limit: 2 });
    expect(ids(first.events)).toEqual([rows[2]!._id, rows[1]!._id]);
    expect(first).toMatchObject({
      has_more: true,
      events: [{ event_type: 'agent.activated', call_id: null }, {}],
    });
    const second = await log.list(scope(), { limit: 2, cursor: first.next_cursor! });
    expect(second).toMatchObject({ events: [{ id: rows[0]!._id }], has_more: false, next_cursor: null });
    expect(second.events[0]!.body).toBe(rows[0]!.body);
  });

  it('leaves out what was made up for a test: it never happened', async () => {
    const [real] = await published(['call.started']);
    await published(['call.failed'], { is_test: true });
    expect(ids((await log.list(scope(), { limit: 2 })).events)).toEqual([real!._id]);
  });

  it('refuses a cursor of another tenant', async () => {
    await published(['call.started', 'call.started']);
    const { next_cursor: cursor } = await log.list(scope(), { limit: 1 });
    const other = { tenant: asTenantId('another'), sandbox: true };
    await expect(log.list(other, { limit: 1, cursor: cursor! })).rejects.toMatchObject({
      code: 'invalid_cursor',
    });
  });

  it('finds those of a type, however many of others are between them', async () => {
    const others = Array.from({ length: LOOKED_THROUGH }, () => 'call.started');
    const rows = await published(['call.failed', ...others, 'call.failed']);
    const first = await log.list(scope(), { limit: 2, event_type: 'call.failed' });
    expect(ids(first.events)).toEqual([rows.at(-1)!._id]);
    const second = await log.list(scope(), {
      limit: 2,
      event_type: 'call.failed',
      cursor: first.next_cursor!,
    });
    expect([ids(second.events), second.has_more]).toEqual([[rows[0]!._id], false]);
  });

  it('reads the bodies of those that it shows alone', async () => {
    const others = Array.from({ length: 20 }, () => 'call.started');
    await published(['call.failed', ...others]);
    const read: EventRow[] = [];
    const find = vi.spyOn(webhooks.events.collection, 'find');
    const { events } = await log.list(scope(), { limit: 1, event_type: 'call.failed' });
    const asked = find.mock.calls.map((query) => [...query] as const);
    find.mockRestore();
    for (const query of asked) {
      read.push(...((await webhooks.events.collection.find(...query).toArray()) as unknown as EventRow[]));
    }
    expect(read.filter(({ body }) => body !== undefined).map(({ type }) => type)).toEqual(['call.failed']);
    expect(read).toHaveLength(22);
    expect(events).toHaveLength(1);
  });
});
