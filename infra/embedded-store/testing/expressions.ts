import type { Document } from 'mongodb';
import type { StoreFixture } from './store-fixture.js';

/** Stands for a missing value. */
export const MISSING = Symbol('missing');

/**
 * Evaluates an expression over a document.
 * @param types whether BSON types are kept
 */
export async function resultOf(
  store: StoreFixture,
  expression: unknown,
  document: Document = {},
  types = false,
): Promise<unknown> {
  const collection = await store.filled(document);
  const stages = [{ $replaceWith: { value: expression } }];
  const [result] = await collection.aggregate(stages, { promoteValues: !types }).toArray();
  return result && 'value' in result ? result.value : MISSING;
}
