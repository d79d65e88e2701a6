import type { DeliveryRow } from './delivery-model.js';
import { type Earlier, isOvertaking } from './delivery-order.js';

/** What of a due delivery decides whether it is claimed. */
export type Due = Pick<
  DeliveryRow,
  '_id' | 'tenant_id' | 'destination' | 'subscription_id' | 'subject' | 'rank'
>;

/** What decides which of two is attempted first. */
export type Turn = Pick<DeliveryRow, 'due_at' | 'rank'>;

/** Sorts the longest due first; of those that fell due together, as their events come. */
export function byTurn(a: Turn, b: Turn): number {
  return a.due_at.getTime() - b.due_at.getTime() || (a.rank ?? 0) - (b.rank ?? 0);
}

/** Chooses of each destination as many as it has room for, and none that overtakes. Pure. */
export function choose(
  due: readonly Due[],
  room: (destination: string) => number,
  order: { readonly earlier: Earlier; readonly isMine: (deliveryId: string) => boolean },
): { ids: string[]; left: ReadonlySet<string> } {
  const taken = new Map<string, number>();
  const ids = new Set<string>();
  const left = new Set<string>();
  for (const row of due) {
    const { _id, destination } = row;
    const count = taken.get(destination) ?? 0;
    if (count >= room(destination)) {
      left.add(destination);
      continue;
    }
    // Its turn comes with a later look, when the one before it has been sent.
    if (isOvertaking(row, order.earlier, (id) => ids.has(id) || order.isMine(id))) continue;
    taken.set(destination, count + 1);
    ids.add(_id);
  }
  return { ids: [...ids], left };
}
