import type { Encodable } from '../bson/encode.js';
import { isDoc, type Value } from '../bson/values.js';
import { CommandError, codes } from '../errors/errors.js';
import { matches } from '../query/match.js';
import { parseFilter } from '../query/parse.js';
import type { Collection, Index } from '../storage/collection.js';
import { parseIndexSpec, sameKey } from '../storage/index-spec.js';
import type { Store } from '../storage/store.js';
import type { Command } from './command.js';

export const create: Command = ({ args, database }, { store }) => {
  const name = args.string('create');
  args.refuse(
    'capped',
    'collation',
    'timeseries',
    'viewOn',
    'pipeline',
    'validator',
    'clusteredIndex',
    'changeStreamPreAndPostImages',
    'expireAfterSeconds',
    'encryptedFields',
    'storageEngine',
    'indexOptionDefaults',
  );
  args.ignore('autoIndexId', 'validationLevel', 'validationAction', 'size', 'max', 'flags');
  args.done();
  if (store.collection(database, name)) {
    throw new CommandError(codes.NamespaceExists, `Collection ${database}.${name} already exists.`);
  }
  store.ensureCollection(database, name);
  return {};
};

export const drop: Command = ({ args, database }, { store }) => {
  const collection = store.collection(database, args.string('drop'));
  args.done();
  if (collection === undefined) return { ns: `${database}` };
  const nIndexesWas = collection.indexes.length;
  store.dropCollection(collection);
  return { nIndexesWas, ns: collection.namespace };
};

export const dropDatabase: Command = ({ args, database }, { store }) => {
  args.value('dropDatabase');
  args.done();
  const collections = store.collections(database);
  store.transaction(() => {
    for (const collection of collections) store.dropCollection(collection);
  });
  return collections.length > 0 ? { dropped: database } : {};
};

export const listDatabases: Command = ({ args }, { store }) => {
  args.value('listDatabases');
  const nameOnly = args.boolean('nameOnly');
  const filter = parseFilter(args.optionalDocument('filter') ?? new Map());
  args.ignore('authorizedDatabases');
  args.done();
  const databases = store.databases().filter((name) => matches(filter, new Map([['name', name]])));
  if (nameOnly) return { databases: databases.map((name) => ({ name })) };
  return { databases: databases.map((name) => ({ name, sizeOnDisk: 0n, empty: false })), totalSize: 0n };
};

export const listCollections: Command = ({ args, database }, { store }) => {
  args.value('listCollections');
  const filter = parseFilter(args.optionalDocument('filter') ?? new Map());
  const nameOnly = args.boolean('nameOnly');
  args.ignore('cursor', 'authorizedCollections');
  args.done();
  const firstBatch = store
    .collections(database)
    .filter(({ name }) =>
      matches(
        filter,
        new Map<string, Value>([
          ['name', name],
          ['type', 'collection'],
        ]),
      ),
    )
    .map(({ name, indexes }): Encodable => {
      if (nameOnly) return { name, type: 'collection' };
      return {
        name,
        type: 'collection',
        options: {},
        info: { readOnly: false },
        idIndex: indexes[0]?.spec.document,
      };
    });
  return { cursor: { id: 0n, ns: `${database}.$cmd.listCollections`, firstBatch } };
};

export const createIndexes: Command = ({ args, database }, { store }) => {
  const name = args.string('createIndexes');
  const specs = args.documents('indexes').map(parseIndexSpec);
  args.ignore('commitQuorum', 'ignoreUnknownIndexOptions');
  args.done();
  if (specs.length === 0) throw new CommandError(codes.BadValue, 'Must specify at least one index to create');
  return store.transaction(() => {
    const createdCollectionAutomatically = store.collection(database, name) === undefined;
    const collection = store.ensureCollection(database, name);
    const numIndexesBefore = collection.indexes.length;
    for (const spec of specs) store.createIndex(collection, spec);
    const numIndexesAfter = collection.indexes.length;
    const note = numIndexesAfter === numIndexesBefore ? 'all indexes already exist' : undefined;
    return { numIndexesBefore, numIndexesAfter, createdCollectionAutomatically, note };
  });
};

export const listIndexes: Command = ({ args, database }, { store }) => {
  const collection = existing(store, database, args.string('listIndexes'));
  args.ignore('cursor');
  args.done();
  const firstBatch = collection.indexes.map(({ spec }) => spec.document);
  return { cursor: { id: 0n, ns: collection.namespace, firstBatch } };
};

export const dropIndexes: Command = ({ args, database }, { store }) => {
  const collection = existing(store, database, args.string('dropIndexes'));
  const wanted = args.value('index') ?? null;
  args.done();
  const nIndexesWas = collection.indexes.length;
  store.transaction(() => {
    for (const index of indexesToDrop(collection, wanted)) store.dropIndex(collection, index);
  });
  return { nIndexesWas };
};

function indexesToDrop(collection: Collection, wanted: Value): Index[] {
  if (wanted === '*') return collection.indexes.filter(({ spec }) => spec.name !== '_id_');
  const keys = Array.isArray(wanted) ? wanted : [wanted];
  return keys.map((key) => {
    const index = collection.indexes.find(({ spec }) =>
      isDoc(key) ? sameKey(spec.key, key) : spec.name === key,
    );
    if (index === undefined) {
      throw new CommandError(
        codes.IndexNotFound,
        isDoc(key) ? `can't find index with key` : `index not found with name [${String(key)}]`,
      );
    }
    if (index.spec.name === '_id_') throw new CommandError(codes.InvalidOptions, 'cannot drop _id index');
    return index;
  });
}

function existing(store: Store, database: string, name: string): Collection {
  const collection = store.collection(database, name);
  if (collection) return collection;
  throw new CommandError(codes.NamespaceNotFound, `ns does not exist: ${database}.${name}`);
}
