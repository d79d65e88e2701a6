import type { Model, mongo } from 'mongoose';
import { Gathered } from './gathered.js';
import type { Pace } from './pacer.js';
import { rowsOf } from './rows-of.js';
import type { TenantKey } from './tenant-scope.js';

/** An update of one document, made only where its filter still holds. */
export interface ConditionalUpdate<Row> {
  readonly filter: mongo.Filter<Row> & TenantKey;
  readonly update: mongo.UpdateFilter<Row>;
  /** Holds after this very update, and after no other. */
  readonly applied: mongo.Filter<Row> & TenantKey;
}

/** Conditional updates that come at the same time are one command; each learns whether it was made. */
export class ConditionalUpdates<Row extends TenantKey> {
  readonly #updates: Gathered<ConditionalUpdate<Row>, boolean>;

  /** `pace`: how often batches go out, where nobody waits for one. */
  constructor(model: Model<Row>, pace?: Pace) {
    const rows = rowsOf<Row>(model);
    this.#updates = new Gathered(async (items) => {
      const { matchedCount } = await rows.bulkWrite(
        items.map(({ filter, update }) => ({ updateOne: { filter, update } })),
        { ordered: false },
      );
      if (matchedCount === items.length) return items.map(() => true);
      if (matchedCount === 0) return items.map(() => false);
      // The command only counts; which ones were made is seen by what they left.
      return areApplied(rows, items);
    }, pace);
  }

  /** Returns whether the update was made. */
  make(update: ConditionalUpdate<Row>): Promise<boolean> {
    return this.#updates.add(update);
  }
}

/** Looks which of the updates were made: by one query for those that are the only ones of their document. */
async function areApplied<Row extends TenantKey>(
  rows: mongo.Collection<Row>,
  items: readonly ConditionalUpdate<Row>[],
): Promise<boolean[]> {
  const perDocument = new Map<string, number>();
  for (const { filter } of items) perDocument.set(filter._id, (perDocument.get(filter._id) ?? 0) + 1);
  const isAlone = ({ filter }: ConditionalUpdate<Row>) => perDocument.get(filter._id) === 1;
  const alone = items.filter(isAlone);
  const found =
    alone.length === 0
      ? []
      : await rows
          .find({ $or: alone.map(({ applied }) => applied) } as mongo.Filter<Row>, {
            projection: { _id: 1 },
            batchSize: alone.length + 1,
          })
          .toArray();
  const applied = new Set(found.map(({ _id }) => _id as string));
  return Promise.all(
    items.map(async (item) =>
      isAlone(item) ? applied.has(item.filter._id) : (await rows.countDocuments(item.applied)) > 0,
    ),
  );
}
