import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type StoredWebhooks, startStoredWebhooks } from '../testing/stored-webhooks.js';
import { findEarlier, isOvertaking, orderKeyOf, type Placed } from './delivery-order.js';

const placed = (fields: Partial<Placed> = {}): Placed => ({
  _id: 'mine',
  tenant_id: 'a tenant',
  subscription_id: 'a receiver',
  subject: 'a call',
  rank: 3,
  ...fields,
});
const nobody = () => false;

describe('a delivery overtakes', () => {
  const beside = (...others: Placed[]) => new Map([['a receiver a call', others]]);

  it.each([
    ['an earlier one in other hands', { _id: 'other', rank: 2 }, true],
    ['none of the same place', { _id: 'other', rank: 3 }, false],
    ['no later one', { _id: 'other', rank: 4 }, false],
    ['not itself', { _id: 'mine', rank: 2 }, false],
  ])('%s', (_what, other, expected) => {
    expect(isOvertaking(placed(), beside(placed(other)), nobody)).toBe(expected);
  });

  it('one without a place, which is the first', () => {
    const { rank: _, ...first } = placed({ _id: 'other' });
    expect(isOvertaking(placed({ rank: 1 }), beside(first), nobody)).toBe(true);
  });

  it('where only one of several is in other hands', () => {
    const earlier = beside(placed({ _id: 'here', rank: 1 }), placed({ _id: 'there', rank: 2 }));
    expect(isOvertaking(placed(), earlier, (id) => id === 'here')).toBe(true);
    expect(isOvertaking(placed(), earlier, () => true)).toBe(false);
  });

  it.each([
    ['no call', { subject: null }],
    ['the first place of all', { rank: 0 }],
    ['another receiver', { subscription_id: 'another' }],
    ['another call', { subject: 'another' }],
  ])('nothing with %s', (_what, fields) => {
    const first = placed({ _id: 'other', rank: -1 });
    const earlier = new Map([
      ['a receiver a call', [first]],
      ['a receiver null', [first]],
    ]);
    expect(isOvertaking(placed(fields), earlier, nobody)).toBe(false);
  });
});

describe('deliveries go one after another', () => {
  it('for the same receiver and call, and without a call in no order', () => {
    const key = orderKeyOf(placed());
    expect(orderKeyOf(placed({ _id: 'other', rank: 5 }))).toBe(key);
    expect(orderKeyOf(placed({ subject: 'another' }))).not.toBe(key);
    expect(orderKeyOf(placed({ subscription_id: 'another' }))).not.toBe(key);
    expect(orderKeyOf(placed({ subject: null }))).toBeNull();
  });
});

describe('what has to be attempted before', () => {
  let webhooks: StoredWebhooks;
  beforeAll(async () => {
    webhooks = await startStoredWebhooks();
  });
  beforeEach(() => webhooks.reset());
  afterAll(() => webhooks?.close());

  it('is what is pending of the same calls, by receiver and call', async () => {
    const [a, b] = [await webhooks.subscription(), await webhooks.subscription()];
    const first = await webhooks.pending(a, { subject: 'a call', rank: 1 });
    const second = await webhooks.pending(a, { subject: 'a call', rank: 2 });
    const other = await webhooks.pending(b, { subject: 'a call', rank: 1 });
    await webhooks.pending(a, { subject: 'a call', rank: 0, status: 'failed' });
    await webhooks.pending(a, { subject: 'another call', rank: 1 });
    const { tenant_id } = a;
    const found = await findEarlier(webhooks.deliveries, [
      placed({ tenant_id }),
      placed({ tenant_id, subject: 'unknown' }),
    ]);
    const row = ({ _id, tenant_id, subscription_id, subject, rank }: Placed) => ({
      _id,
      tenant_id,
      subscription_id,
      subject,
      rank,
    });
    expect(found).toEqual(
      new Map([
        [`${a._id} a call`, expect.arrayContaining([row(first), row(second)])],
        [`${b._id} a call`, [row(other)]],
      ]),
    );
    expect(found.get(`${a._id} a call`)).toHaveLength(2);
  });

  it.each([{ rank: 0 }, { subject: null }])('is not looked for with %j alone', async (fields) => {
    const find = vi.spyOn(webhooks.deliveries, 'find');
    expect(await findEarlier(webhooks.deliveries, [placed(fields)])).toEqual(new Map());
    expect(find).not.toHaveBeenCalled();
    find.mockRestore();
  });
});
