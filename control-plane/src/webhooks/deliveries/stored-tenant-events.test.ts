import { asTenantId, newId, type TenantId } from '@voice/shared/ids/ids';
import { silentLog } from '@voice/shared/log/log';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../testing/eventually.js';
import { envelopeText } from '../events/envelope.js';
import { EVENT_LIFE_MS, type EventRow } from '../events/model.js';
import type { TenantEvent } from '../events/tenant-events.js';
import { type StoredWebhooks, startStoredWebhooks } from '../testing/stored-webhooks.js';
import { type AddressedEvent, CUT_SHORT_AFTER_MS, StoredTenantEvents } from './stored-tenant-events.js';

const NOTE_DELAY_MS = 50;

let webhooks: StoredWebhooks;
let events: StoredTenantEvents;
let tenant: TenantId;
/** What was handed on for delivery, by event. */
let delivered: string[];
/** How often subscribers were asked for. */
let asked: number;
/** What delivering does. */
let deliver: (addressed: readonly AddressedEvent[]) => Promise<void>;
let logged: string[];

beforeAll(async () => {
  webhooks = await startStoredWebhooks();
});
beforeEach(async () => {
  tenant = await webhooks.reset();
  [delivered, logged, asked] = [[], [], 0];
  deliver = async () => {};
  events = replica();
});
/** A process that publishes. */
function replica(): StoredTenantEvents {
  return new StoredTenantEvents({
    ...webhooks,
    log: { ...silentLog, warn: (_fields, message) => void logged.push(message) },
    fanOut: {
      // As if agents' events had a subscriber, and others none.
      subscribersOf: async (rows) => {
        asked++;
        return rows.map(({ type }) =>
          type.startsWith('agent.') ? [{ _id: 'a subscription' } as never] : [],
        );
      },
      deliver: async (addressed) => {
        expect(addressed.every(({ subscribers }) => subscribers.length > 0)).toBe(true);
        await deliver(addressed);
        delivered.push(...addressed.map(({ event }) => event._id));
      },
    },
  });
}
afterEach(() => events.settled());
afterAll(() => webhooks?.close());

const event = (): TenantEvent<'agent.activated'> => ({
  id: newId(),
  type: 'agent.activated',
  tenant,
  sandbox: true,
  occurredAt: webhooks.clock.now() - 1000,
  data: { agent_id: newId() },
});
const unheard = (): TenantEvent<'campaign.started'> => ({
  ...event(),
  type: 'campaign.started',
  data: { campaign_id: newId(), total_contacts: 1 },
});
const stored = (id: string) => webhooks.events.findById(id).lean<EventRow>();
const isNoted = async (id: string) => (await stored(id))?.fanned_out;

describe('an event that is published', () => {
  it('is stored with the very bytes that are sent, and delivered', async () => {
    const published = event();
    await events.emit(published);
    expect(await stored(published.id)).toEqual({
      _id: published.id,
      tenant_id: tenant,
      type: 'agent.activated',
      sandbox: true,
      subject: null,
      rank: 0,
      body: envelopeText(published),
      fanned_out: false,
      created_at: new Date(webhooks.clock.now()),
      expires_at: new Date(webhooks.clock.now() + EVENT_LIFE_MS),
    });
    expect(delivered).toEqual([published.id]);
  });

  it('for the first time is not looked for among those that are known', async () => {
    const find = vi.spyOn(webhooks.events, 'find');
    await events.emit(event());
    expect(find).not.toHaveBeenCalled();
    find.mockRestore();
  });

  it('is noted as delivered a moment later, together with others', async () => {
    const [first, second] = [event(), event()];
    await events.emit(first);
    webhooks.clock.advance(NOTE_DELAY_MS - 1);
    await events.emit(second);
    const note = vi.spyOn(webhooks.events, 'updateMany');
    webhooks.clock.advance(1);
    expect(note).toHaveBeenCalledTimes(1);
    await eventually(() => isNoted(first.id));
    expect(await isNoted(second.id)).toBe(true);
    webhooks.clock.advance(NOTE_DELAY_MS);
    expect(note).toHaveBeenCalledTimes(1);
    note.mockRestore();
    const third = event();
    await events.emit(third);
    webhooks.clock.advance(NOTE_DELAY_MS);
    await eventually(() => isNoted(third.id));
  });

  it('without a subscriber is complete at once', async () => {
    const published = unheard();
    await events.emit(published);
    expect(await isNoted(published.id)).toBe(true);
    expect([delivered, webhooks.clock.pending]).toEqual([[], 0]);
  });

  it('again is delivered again only where the first time was cut short', async () => {
    const published = event();
    deliver = () => Promise.reject(new Error('the store is away'));
    await expect(events.emit(published)).rejects.toThrow('away');
    expect(await isNoted(published.id)).toBe(false);
    deliver = async () => {};
    await events.emit({ ...published, data: { agent_id: newId() } });
    expect(delivered).toEqual([published.id]);
    expect((await stored(published.id))?.body).toBe(envelopeText(published));
    await events.settled();
    asked = 0;
    await replica().emit(published);
    expect([delivered, asked]).toEqual([[published.id], 1]);
  });

  it('again by the same process is not asked of the store, and once where both are at the same time', async () => {
    const published = event();
    await Promise.all([events.emit(published), events.emit(published)]);
    const insert = vi.spyOn(webhooks.events.collection, 'insertMany');
    await events.emit(published);
    expect([delivered, asked, insert.mock.calls]).toEqual([[published.id], 1, []]);
    insert.mockRestore();
  });

  it('is noted at the latest when the process ends', async () => {
    const published = event();
    await events.emit(published);
    await events.settled();
    expect([await isNoted(published.id), webhooks.clock.pending]).toEqual([true, 0]);
    const note = vi.spyOn(webhooks.events, 'updateMany');
    await events.settled();
    expect(note).not.toHaveBeenCalled();
    note.mockRestore();
    const next = event();
    await events.emit(next);
    webhooks.clock.advance(NOTE_DELAY_MS);
    await eventually(() => isNoted(next.id));
  });

  it('is stored, delivered and noted before the process ends', async () => {
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    deliver = () => held;
    const published = event();
    const emitting = events.emit(published);
    const order: string[] = [];
    const settling = events.settled().then(() => order.push('settled'));
    await eventually(() => stored(published.id));
    order.push('delivers');
    goOn();
    await Promise.all([emitting, settling]);
    expect([order, delivered]).toEqual([['delivers', 'settled'], [published.id]]);
    expect([await isNoted(published.id), webhooks.clock.pending]).toEqual([true, 0]);
  });

  it('loses nothing but time when the note cannot be written', async () => {
    await events.emit(event());
    const note = vi.spyOn(webhooks.events, 'updateMany');
    note.mockImplementationOnce((() => Promise.reject(new Error('the store is away'))) as never);
    await events.settled();
    note.mockRestore();
    expect(logged).toEqual(['events were not noted as complete']);
  });
});

describe('an event whose publisher died', () => {
  it('is delivered when it is five seconds old, the oldest first', async () => {
    const age = (ms: number) => ({ created_at: new Date(webhooks.clock.now() - ms) });
    const rows = [
      webhooks.event(age(CUT_SHORT_AFTER_MS)),
      webhooks.event(age(CUT_SHORT_AFTER_MS + 1)),
      webhooks.event(age(CUT_SHORT_AFTER_MS - 1)),
      webhooks.event({ ...age(CUT_SHORT_AFTER_MS), fanned_out: true }),
    ];
    await webhooks.events.insertMany(rows);
    await events.resume();
    expect(delivered).toEqual([rows[1]!._id, rows[0]!._id]);
    await events.settled();
    expect(await isNoted(rows[0]!._id)).toBe(true);
    expect(CUT_SHORT_AFTER_MS).toBe(5000);
  });

  it('is completed 200 at a time', async () => {
    const created_at = new Date(webhooks.clock.now() - CUT_SHORT_AFTER_MS);
    await webhooks.events.insertMany(Array.from({ length: 201 }, () => webhooks.event({ created_at })));
    await events.resume();
    expect(delivered).toHaveLength(200);
    await events.settled();
    await events.resume();
    expect(delivered).toHaveLength(201);
    await events.settled();
  });

  it('is looked for, and nothing else is done where there is none', async () => {
    await events.resume();
    expect([delivered, asked, webhooks.clock.pending]).toEqual([[], 0, 0]);
  });
});

describe("a call's event", () => {
  it('is stored with its place among those of its call', async () => {
    const callId = newId();
    const published: TenantEvent<'call.hangup'> = {
      ...event(),
      type: 'call.hangup',
      tenant: asTenantId(tenant),
      data: {
        call_id: callId,
        agent_id: newId(),
        direction: 'outbound',
        from: '+15005550100',
        to: '+15005550006',
        end_reason: 'caller_hangup',
      },
    };
    await events.emit(published);
    expect(await stored(published.id)).toMatchObject({ subject: callId, rank: 2 });
  });
});
