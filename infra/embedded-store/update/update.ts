import { type Doc, isDoc, type Value } from '../bson/values.js';
import { equal } from '../bson-order/compare.js';
import { CommandError, codes } from '../errors/errors.js';
import type { Filter } from '../query/filter.js';
import { parseFilter } from '../query/parse.js';
import type { FieldUpdate, UpdateContext } from './field-update.js';
import { parseOperators } from './operators.js';
import { applyAt } from './target.js';
import { parsePipelineUpdate } from './update-pipeline.js';

export type Update =
  | { readonly kind: 'replacement'; readonly document: Doc }
  | {
      readonly kind: 'operators';
      readonly fields: readonly FieldUpdate[];
      readonly arrayFilters: ReadonlyMap<string, Filter>;
    }
  | { readonly kind: 'pipeline'; readonly run: (document: Doc, now: number) => Doc };

/** Parses the `u` of an update statement: operators, a replacement document or a pipeline. */
export function parseUpdate(update: Value, arrayFilters: readonly Doc[] = []): Update {
  if (Array.isArray(update)) {
    if (arrayFilters.length > 0) {
      throw new CommandError(
        codes.FailedToParse,
        'arrayFilters may not be specified for pipeline-style updates',
      );
    }
    return { kind: 'pipeline', run: parsePipelineUpdate(update) };
  }
  if (!isDoc(update))
    throw new CommandError(codes.FailedToParse, 'Update argument must be either an object or an array');
  const first = update.keys().next().value;
  if (first?.startsWith('$')) {
    const filters = parseArrayFilters(arrayFilters);
    const fields = parseOperators(update);
    checkIdentifiers(fields, filters);
    return { kind: 'operators', fields, arrayFilters: filters };
  }
  for (const name of update.keys()) checkFieldName(name);
  return { kind: 'replacement', document: update };
}

/** Checks whether an update may be applied to several documents at once. */
export function allowsMulti(update: Update): boolean {
  return update.kind !== 'replacement';
}

/** Applies an update to a document. Changes `document` in place where it can; `_id` cannot change. */
export function applyUpdate(
  update: Update,
  document: Doc,
  context: Omit<UpdateContext, 'arrayFilters'>,
): Doc {
  const id = document.get('_id');
  const result = changed(update, document, context);
  const newId = result.get('_id');
  if (id !== undefined && (newId === undefined || !equal(id, newId))) {
    const how =
      update.kind === 'replacement'
        ? 'After applying the update, the (immutable) field'
        : "Performing an update on the path '_id' would modify the immutable field";
    throw new CommandError(
      codes.ImmutableField,
      `${how} '_id'${update.kind === 'replacement' ? ' was found to have been altered' : ''}`,
    );
  }
  return result;
}

function changed(update: Update, document: Doc, context: Omit<UpdateContext, 'arrayFilters'>): Doc {
  switch (update.kind) {
    case 'replacement': {
      const result: Doc = new Map();
      const id = update.document.get('_id') ?? document.get('_id');
      if (id !== undefined) result.set('_id', id);
      for (const [name, value] of update.document) if (name !== '_id') result.set(name, value);
      return result;
    }
    case 'operators':
      for (const field of update.fields) {
        if (field.operator === '$setOnInsert' && !context.inserting) continue;
        if (field.applyToRoot) field.applyToRoot(document);
        else applyAt(document, field, { ...context, arrayFilters: update.arrayFilters });
      }
      return document;
    case 'pipeline':
      return update.run(document, context.now);
  }
}

export function checkFieldName(name: string): void {
  if (name.startsWith('$')) {
    throw new CommandError(
      codes.DollarPrefixedFieldName,
      `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of the embedded store's documents.`,
    );
  }
}

function parseArrayFilters(documents: readonly Doc[]): Map<string, Filter> {
  const filters = new Map<string, Filter>();
  for (const document of documents) {
    const identifier = identifierOf(document);
    if (identifier === undefined || !/^[a-z][A-Za-z0-9]*$/.test(identifier)) {
      throw new CommandError(
        codes.BadValue,
        'Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter',
      );
    }
    if (filters.has(identifier)) {
      throw new CommandError(
        codes.FailedToParse,
        `Found multiple array filters with the same top-level field name ${identifier}`,
      );
    }
    filters.set(identifier, parseFilter(document));
  }
  return filters;
}

/** Returns the name that all conditions of an array filter start with. */
function identifierOf(document: Doc): string | undefined {
  const names = new Set<string | undefined>();
  for (const [name, value] of document) {
    if (name.startsWith('$')) {
      for (const item of Array.isArray(value) ? value : [])
        names.add(isDoc(item) ? identifierOf(item) : undefined);
    } else names.add(name.split('.')[0]);
  }
  return names.size === 1 ? [...names][0] : undefined;
}

function checkIdentifiers(fields: readonly FieldUpdate[], filters: ReadonlyMap<string, Filter>): void {
  const used = new Set<string>();
  for (const field of fields) {
    for (const component of field.path) {
      const identifier = /^\$\[(.+)\]$/.exec(component)?.[1];
      if (identifier === undefined) continue;
      used.add(identifier);
      if (!filters.has(identifier)) {
        throw new CommandError(
          codes.BadValue,
          `No array filter found for identifier '${identifier}' in path '${field.path.join('.')}'`,
        );
      }
    }
  }
  for (const identifier of filters.keys()) {
    if (!used.has(identifier)) {
      throw new CommandError(
        codes.FailedToParse,
        `The array filter for identifier '${identifier}' was not used in the update`,
      );
    }
  }
}
