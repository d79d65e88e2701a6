import { type Connection, type IndexDefinition, type IndexOptions, mongo } from 'mongoose';

/** An index as it is declared, or as the server lists it. */
export type IndexSpec = mongo.IndexDescription & {
  readonly name: string;
  readonly key: Readonly<Record<string, mongo.IndexDirection>>;
};

/** What has to be done so that the declared indexes of a collection are there. */
interface IndexWork {
  /** To be built. */
  readonly missing: readonly IndexSpec[];
  /** In the way of one to be built: of its name, or of its key under another name. */
  readonly inTheWay: readonly IndexSpec[];
}

/** What makes two indexes of one key different ones. */
const OPTIONS = ['unique', 'sparse', 'expireAfterSeconds', 'partialFilterExpression', 'collation'] as const;
/** In what two indexes of one key must differ to be beside each other: since MongoDB 5.0, and for any server. */
const BESIDE_EACH_OTHER = {
  recent: ['unique', 'sparse', 'partialFilterExpression', 'collation'],
  strict: ['partialFilterExpression', 'collation'],
} as const;

/** Returns the declaration as the server takes and lists it. */
function specOf([key, options]: [IndexDefinition, IndexOptions]): IndexSpec {
  // Mongoose's default for what servers no longer distinguish.
  const { background: _background, ...others } = options;
  const spec = { ...(others as mongo.IndexDescription), key: key as IndexSpec['key'] };
  return { ...spec, name: spec.name ?? nameOf(spec.key) };
}

/** Names an index as the server does. */
const nameOf = (key: IndexSpec['key']): string =>
  Object.entries(key)
    .map(([field, order]) => `${field}_${String(order)}`)
    .join('_');

/** Returns the declared indexes of each collection. */
export function declaredIndexes(store: Connection): ReadonlyMap<string, readonly IndexSpec[]> {
  const declared = new Map<string, readonly IndexSpec[]>();
  for (const { collection, schema } of Object.values(store.models)) {
    const specs = schema.indexes().map(specOf);
    if (specs.length > 0) declared.set(collection.name, [...(declared.get(collection.name) ?? []), ...specs]);
  }
  return declared;
}

/** Shows the options that are set, of those named, in one order. */
function shownOptions(spec: IndexSpec, names: readonly (keyof IndexSpec)[] = OPTIONS): string {
  const shown = names.filter((name) => spec[name] !== undefined && spec[name] !== false);
  return mongo.BSON.EJSON.stringify(Object.fromEntries(shown.map((name) => [name, spec[name]])));
}

const shownKey = ({ key }: IndexSpec): string => mongo.BSON.EJSON.stringify(key);

/** Whether the server would take one for the other, but for their names. */
const isSameIndex = (a: IndexSpec, b: IndexSpec): boolean =>
  shownKey(a) === shownKey(b) && shownOptions(a) === shownOptions(b);

/** Whether no server, or no recent one, lets the two be beside each other, whatever their names. */
function excludeEachOther(a: IndexSpec, b: IndexSpec, strict: boolean): boolean {
  const options = strict ? BESIDE_EACH_OTHER.strict : BESIDE_EACH_OTHER.recent;
  return shownKey(a) === shownKey(b) && shownOptions(a, options) === shownOptions(b, options);
}

/** Shows key and options on one line. */
export const describeIndex = (spec: IndexSpec): string => {
  const options = shownOptions(spec);
  return options === '{}' ? shownKey(spec) : `${shownKey(spec)} ${options}`;
};

/**
 * Compares what is declared with what is there. An index that does the same under another name is as good: an operator
 * has made it. `strict`: the server refuses what recent ones take. Pure.
 */
export function indexWork(
  declared: readonly IndexSpec[],
  present: readonly IndexSpec[],
  { strict = false } = {},
): IndexWork {
  const missing = declared.filter((spec) => !present.some((other) => isSameIndex(spec, other)));
  const names = new Set(declared.map(({ name }) => name));
  const inTheWay = present.filter((other) =>
    missing.some(
      (spec) => other.name === spec.name || (!names.has(other.name) && excludeEachOther(other, spec, strict)),
    ),
  );
  return { missing, inTheWay };
}
