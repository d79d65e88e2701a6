import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { derivedId, newId } from '@voice/shared/ids/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TenantScope } from '../../platform/store/tenant-scope.js';
import type { WebhookConfigResponse } from '../schemas.js';
import { type StoredWebhooks, startStoredWebhooks } from '../testing/stored-webhooks.js';
import { Subscriptions, sealedFor } from './subscriptions.js';

const URL = 'https://receiver.example/hook';
const WANTED = { url: URL, event_types: ['*' as const], description: 'mine' };

let webhooks: StoredWebhooks;
let subscriptions: Subscriptions;
let scope: TenantScope;
let skipped: unknown[][];

beforeAll(async () => {
  webhooks = await startStoredWebhooks();
  subscriptions = new Subscriptions({
    ...webhooks,
    policy: createAddressPolicy([]),
    skipPending: async (...args) => void skipped.push(args),
  });
});
beforeEach(async () => {
  scope = { tenant: await webhooks.reset(), sandbox: true };
  skipped = [];
});
afterAll(() => webhooks?.close());

const isoNow = () => new Date(webhooks.clock.now()).toISOString();
const live = () => ({ ...scope, sandbox: false });

describe('a subscription', () => {
  it('is made under the given id, with a secret that is kept sealed', async () => {
    const id = newId();
    const { secret, ...made } = await subscriptions.create(scope, id, WANTED);
    expect(made).toEqual({
      id,
      ...WANTED,
      sandbox: true,
      is_active: true,
      created_at: isoNow(),
      updated_at: isoNow(),
    });
    const row = await subscriptions.require(scope, id);
    expect(webhooks.secrets.open(sealedFor(id), row.secret)).toBe(secret);
    expect(() => webhooks.secrets.open(sealedFor(newId()), row.secret)).toThrow();
    expect(row.kind).toBe('subscription');
    expect(await subscriptions.create(scope, id, { ...WANTED, description: 'again' })).toEqual({
      ...made,
      secret,
    });
  });

  it('fails with the store', async () => {
    const insert = vi.spyOn(webhooks.subscriptions.collection, 'insertOne');
    insert.mockRejectedValueOnce(new Error('the store is away'));
    await expect(subscriptions.create(scope, newId(), WANTED)).rejects.toThrow('away');
    insert.mockRestore();
  });

  it('is one of 1,000 at most, of each mode', async () => {
    const rows = Array.from({ length: 999 }, () => ({ ...WANTED, _id: newId() }));
    const row = await webhooks.subscription();
    await webhooks.subscriptions.collection.insertMany(
      rows.slice(1).map(({ _id }) => ({ ...row, _id })) as never[],
    );
    await subscriptions.setConfig(scope, URL);
    await subscriptions.create(scope, newId(), WANTED);
    await expect(subscriptions.create(scope, newId(), WANTED)).rejects.toMatchObject({
      code: 'webhook_limit_reached',
    });
    await subscriptions.create(live(), newId(), WANTED);
    expect(await subscriptions.list(scope)).toHaveLength(1000);
  });

  it('is listed with those of its mode, the newest first, without the single webhook', async () => {
    await subscriptions.setConfig(scope, URL);
    await subscriptions.create(live(), newId(), WANTED);
    const first = await subscriptions.create(scope, newId(), WANTED);
    webhooks.clock.advance(1);
    const second = await subscriptions.create(scope, newId(), WANTED);
    const list = await subscriptions.list(scope);
    expect(list.map(({ id }) => id)).toEqual([second.id, first.id]);
  });

  it('is changed in what is given; switched off, what waits for it is skipped', async () => {
    const { secret: _, ...made } = await subscriptions.create(scope, newId(), WANTED);
    webhooks.clock.advance(1000);
    const changed = { ...made, description: 'other', updated_at: isoNow() };
    expect(await subscriptions.update(scope, made.id, { description: 'other' })).toEqual(changed);
    expect(skipped).toEqual([]);
    expect(await subscriptions.update(scope, made.id, { is_active: false })).toEqual({
      ...changed,
      is_active: false,
    });
    expect(skipped).toEqual([[scope, made.id, 'The subscription is switched off.']]);
    expect(await subscriptions.get(scope, made.id)).toMatchObject({ is_active: false });
  });

  it('is deleted with what waits for it', async () => {
    const { id } = await subscriptions.create(scope, newId(), WANTED);
    await subscriptions.delete(scope, id);
    expect(skipped).toEqual([[scope, id, 'The subscription is gone.']]);
    expect(await subscriptions.find(scope, id)).toBeNull();
  });

  it('is 404 in the other mode, and once it is gone; the single webhook is none', async () => {
    const { id } = await subscriptions.create(scope, newId(), WANTED);
    const { webhook_id: config } = await subscriptions.setConfig(scope, URL);
    const refusal = { code: 'webhook_not_found' };
    for (const [whose, which] of [
      [live(), id],
      [scope, newId()],
    ] as const) {
      await expect(subscriptions.get(whose, which)).rejects.toMatchObject(refusal);
    }
    for (const [whose, which] of [
      [live(), id],
      [scope, config!],
    ] as const) {
      await expect(subscriptions.update(whose, which, { description: '' })).rejects.toMatchObject(refusal);
      await expect(subscriptions.delete(whose, which)).rejects.toMatchObject(refusal);
    }
    expect(skipped).toEqual([]);
  });

  it.each([
    ['http://127.0.0.1:8080/', 'egress_address_refused'],
    ['https://me:secret@receiver.example/', 'egress_url_refused'],
  ])('may not point to %s', async (url, type) => {
    const detail = [expect.objectContaining({ loc: ['body', 'url'], type })];
    const refusal = { code: 'validation_error', detail };
    const { id } = await subscriptions.create(scope, newId(), WANTED);
    await expect(subscriptions.create(scope, newId(), { ...WANTED, url })).rejects.toMatchObject(refusal);
    await expect(subscriptions.update(scope, id, { url })).rejects.toMatchObject(refusal);
    await expect(subscriptions.setConfig(scope, url)).rejects.toMatchObject(refusal);
    expect(await subscriptions.get(scope, id)).toMatchObject({ url: URL });
  });
});

describe('the single webhook of a tenant', () => {
  it('shows its secret when it is generated, and keeps it', async () => {
    const first = await subscriptions.setConfig(scope, URL);
    expect(first).toEqual({
      webhook_id: expect.any(String),
      url: URL,
      sandbox: true,
      has_secret: true,
      secret: expect.stringMatching(/^whsec_/),
      updated_at: isoNow(),
    });
    const row = await subscriptions.require(scope, first.webhook_id!);
    expect(row).toMatchObject({ kind: 'config', event_types: ['*'], description: '', is_active: true });
    expect(webhooks.secrets.open(sealedFor(row._id), row.secret)).toBe(first.secret);
    webhooks.clock.advance(1000);
    const moved = await subscriptions.setConfig(scope, `${URL}2`);
    expect(moved).toEqual({ ...first, url: `${URL}2`, secret: null, updated_at: isoNow() });
    expect(await subscriptions.config(scope)).toEqual(moved);
    expect((await subscriptions.require(scope, row._id)).secret).toBe(row.secret);
  });

  it('is one for each mode, and none at first', async () => {
    const none = { webhook_id: null, url: null, has_secret: false, secret: null, updated_at: null };
    await subscriptions.setConfig(scope, URL);
    expect(await subscriptions.config(live())).toEqual({ ...none, sandbox: false });
    await subscriptions.setConfig(live(), URL);
    // Stored rows have these ids.
    const idIn = (mode: string) => derivedId(scope.tenant, `webhook config: ${mode}`);
    expect((await subscriptions.config(scope)).webhook_id).toBe(idIn('sandbox'));
    expect((await subscriptions.config(live())).webhook_id).toBe(idIn('production'));
  });

  it('set by two requests at once returns the secret to the one that was first', async () => {
    let first: WebhookConfigResponse | undefined;
    const look = vi.spyOn(webhooks.subscriptions, 'findOneAndUpdate');
    const meanwhile = async () => {
      first = await subscriptions.setConfig(scope, URL);
      return null;
    };
    look.mockReturnValueOnce({ lean: () => ({ exec: meanwhile }) } as never);
    const second = await subscriptions.setConfig(scope, URL);
    look.mockRestore();
    expect(second).toEqual({ ...first, secret: null });
    const row = await subscriptions.require(scope, second.webhook_id!);
    expect(webhooks.secrets.open(sealedFor(row._id), row.secret)).toBe(first?.secret);
  });

  it('is removed with what waits for it, also when there is none', async () => {
    const { webhook_id: id } = await subscriptions.setConfig(scope, URL);
    await subscriptions.deleteConfig(scope);
    await subscriptions.deleteConfig(scope);
    expect(await subscriptions.config(scope)).toMatchObject({ webhook_id: null });
    expect(skipped).toEqual(Array(2).fill([scope, id, 'The subscription is gone.']));
  });
});
