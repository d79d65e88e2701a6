import type { Document, UpdateFilter } from 'mongodb';
import { errorOf, type StoreFixture } from './store-fixture.js';

export interface UpdateOptions {
  readonly filter?: Document;
  readonly arrayFilters?: Document[];
}

/** Applies updates to single documents of a store. */
export class Updates {
  constructor(private readonly store: StoreFixture) {}

  /** Updates the one document of a collection; gives what it is then, without its `_id`. */
  async updated(
    before: Document,
    update: Document | Document[],
    options: UpdateOptions = {},
  ): Promise<Document> {
    const collection = await this.store.filled({ _id: 1 as never, ...before });
    const { filter = {}, ...rest } = options;
    await collection.updateOne(filter, update as UpdateFilter<Document>, rest);
    const { _id, ...after } = (await collection.findOne({}, { promoteValues: true })) as Document;
    return after;
  }

  /** Returns the error that the update ends with. */
  refused(before: Document, update: Document | Document[], options: UpdateOptions = {}) {
    return errorOf(this.updated(before, update, options));
  }
}
