import type { DeliveryModel, DeliveryRow } from './delivery-model.js';

/** What of a delivery decides when its turn is. */
export type Placed = Pick<DeliveryRow, '_id' | 'tenant_id' | 'subscription_id' | 'subject' | 'rank'>;

/** Deliveries that have to be attempted before another, by the subject of both. */
export type Earlier = ReadonlyMap<string, readonly Placed[]>;

/**
 * Returns the first attempts that are still to be made of the subjects of these. One receiver gets the events of one
 * call in their order: a delivery waits while an earlier one of the same subject is in other hands. Retries are in no
 * order, or a receiver that refuses one event for a day would miss all others.
 */
export async function findEarlier(deliveries: DeliveryModel, placed: readonly Placed[]): Promise<Earlier> {
  const later = placed.flatMap((row) => (row.rank && row.subject ? [{ ...row, subject: row.subject }] : []));
  if (later.length === 0) return new Map();
  const pending = await deliveries
    .find(
      {
        tenant_id: { $in: [...new Set(later.map(({ tenant_id }) => tenant_id))] },
        subject: { $in: [...new Set(later.map(({ subject }) => subject))] },
        status: 'pending',
      },
      { tenant_id: 1, subscription_id: 1, subject: 1, rank: 1 },
    )
    .lean<Placed[]>();
  const earlier = new Map<string, Placed[]>();
  for (const row of pending) earlier.set(lineOf(row), [...(earlier.get(lineOf(row)) ?? []), row]);
  return earlier;
}

/** Returns whether one that comes before it is not in the same hands: it would be overtaken. Pure. */
export function isOvertaking(
  row: Placed,
  earlier: Earlier,
  isMine: (deliveryId: string) => boolean,
): boolean {
  if (!row.subject || !row.rank) return false;
  const { rank } = row;
  return (earlier.get(lineOf(row)) ?? []).some(
    (other) => (other.rank ?? 0) < rank && other._id !== row._id && !isMine(other._id),
  );
}

/** Returns the key of deliveries that go one after another; null where it has no subject. Pure. */
export function orderKeyOf(row: Placed): string | null {
  return row.subject ? lineOf(row) : null;
}

function lineOf({ subscription_id, subject }: Placed): string {
  return `${subscription_id} ${subject}`;
}
