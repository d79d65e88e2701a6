import type { Doc, Value } from '../bson/values.js';
import type { Path } from '../fields/path.js';
import type { Filter } from '../query/filter.js';

/** What an update knows of the document it is applied to. */
export interface UpdateContext {
  /** Position that the filter matched in an array: the meaning of `$`. */
  readonly arrayIndex: number | undefined;
  /** The document is being inserted by an upsert. */
  readonly inserting: boolean;
  /** Wall-clock time in ms. */
  readonly now: number;
  readonly arrayFilters: ReadonlyMap<string, Filter>;
}

/** One operator on one path. */
export interface FieldUpdate {
  readonly operator: string;
  readonly path: Path;
  /** Whether missing parents are created on the way. */
  readonly creates: boolean;
  /** The new value of the field; `undefined` removes it. Throws on a value it cannot work on. */
  readonly apply: (current: Value | undefined, context: UpdateContext, root: Doc) => Value | undefined;
  /** Done once for the whole document instead of at the path: `$rename`. */
  readonly applyToRoot?: (root: Doc) => void;
}
