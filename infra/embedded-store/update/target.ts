import { show } from '../bson/show.js';
import { type Doc, isDoc, type Value } from '../bson/values.js';
import { CommandError, codes } from '../errors/errors.js';
import { isPosition } from '../fields/path.js';
import { matches } from '../query/match.js';
import type { FieldUpdate, UpdateContext } from './field-update.js';

/** Nulls that an assignment beyond an array's end may add. */
const MAX_PADDING = 1_500_000;

/**
 * Applies an operator at its path, walking arrays by position, by `$` (where the filter matched), `$[]` (every
 * element) and `$[name]` (elements that an array filter accepts). Creates parents when the operator does.
 */
export function applyAt(root: Doc, field: FieldUpdate, context: UpdateContext): void {
  step(root, 0, root, field, context);
}

function step(
  node: Doc | Value[],
  depth: number,
  root: Doc,
  field: FieldUpdate,
  context: UpdateContext,
): void {
  const component = field.path[depth] as string;
  if (component === '$') {
    if (context.arrayIndex === undefined) {
      throw new CommandError(
        codes.BadValue,
        'The positional operator did not find the match needed from the query.',
      );
    }
    arrayAt(node, depth, field);
    at(node, String(context.arrayIndex), depth, root, field, context);
  } else if (component.startsWith('$[')) {
    const array = arrayAt(node, depth, field);
    const identifier = component.slice(2, -1);
    const filter = context.arrayFilters.get(identifier);
    for (let index = 0; index < array.length; index++) {
      if (filter && !matches(filter, new Map([[identifier, array[index] as Value]]))) continue;
      at(array, String(index), depth, root, field, context);
    }
  } else {
    at(node, component, depth, root, field, context);
  }
}

function arrayAt(node: Doc | Value[], depth: number, field: FieldUpdate): Value[] {
  if (Array.isArray(node)) return node;
  const path = field.path.slice(0, depth).join('.');
  throw new CommandError(
    codes.BadValue,
    `Cannot apply array updates to non-array element ${path}: ${show(node)}`,
  );
}

function at(
  node: Doc | Value[],
  component: string,
  depth: number,
  root: Doc,
  field: FieldUpdate,
  context: UpdateContext,
): void {
  if (Array.isArray(node) && !isPosition(component)) {
    if (!field.creates) return;
    throw notViable(component, node, depth, field);
  }
  const current = Array.isArray(node) ? node[Number(component)] : node.get(component);
  if (depth + 1 === field.path.length) {
    put(node, component, field.apply(current, context, root));
    return;
  }
  if (isDoc(current) || Array.isArray(current)) {
    step(current, depth + 1, root, field, context);
    return;
  }
  const next = field.path[depth + 1] as string;
  if (current === undefined) {
    if (next === '$' || next.startsWith('$[')) {
      const path = field.path.slice(0, depth + 1).join('.');
      throw new CommandError(
        codes.BadValue,
        `The path '${path}' must exist in the document in order to apply array updates.`,
      );
    }
    if (!field.creates) return;
    const created: Doc = new Map();
    step(created, depth + 1, root, field, context);
    // An operator that decided to leave the field out creates no parents either.
    if (created.size > 0) put(node, component, created);
    return;
  }
  if (next === '$' || next.startsWith('$[')) {
    const path = field.path.slice(0, depth + 1).join('.');
    throw new CommandError(
      codes.BadValue,
      `Cannot apply array updates to non-array element ${path}: ${show(current)}`,
    );
  }
  if (field.creates) throw notViable(next, current, depth + 1, field);
}

function put(node: Doc | Value[], component: string, value: Value | undefined): void {
  if (!Array.isArray(node)) {
    if (value === undefined) node.delete(component);
    else node.set(component, value);
    return;
  }
  const index = Number(component);
  if (value === undefined) {
    if (index < node.length) node[index] = null; // $unset leaves the array's length alone
    return;
  }
  if (index - node.length > MAX_PADDING) {
    throw new CommandError(codes.BadValue, `can't backfill more than ${MAX_PADDING} elements`);
  }
  while (node.length < index) node.push(null);
  node[index] = value;
}

function notViable(component: string, node: Value, depth: number, field: FieldUpdate): CommandError {
  const parent = field.path[depth - 1] ?? '';
  return new CommandError(
    codes.PathNotViable,
    `Cannot create field '${component}' in element {${parent}: ${show(node)}}`,
    {},
  );
}
