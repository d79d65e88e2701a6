import { show } from '../bson/show.js';
import { type Doc, isDoc, type Maybe, type Value } from '../bson/values.js';
import { CommandError, codes } from '../errors/errors.js';
import { type Path, splitPath } from '../fields/path.js';
import type { FieldUpdate } from './field-update.js';
import { applyAt } from './target.js';

/**
 * Parses `$rename: { from: 'to' }`, which moves a field, over whatever the new name held; not into or out of arrays.
 */
export function rename(
  path: Path,
  operand: Value,
  name: string,
): Pick<FieldUpdate, 'apply' | 'creates' | 'applyToRoot'> {
  if (typeof operand !== 'string') {
    throw new CommandError(
      codes.BadValue,
      `The 'to' field for $rename must be a string: ${name}: ${show(operand)}`,
    );
  }
  const target = splitPath(operand);
  if (operand === '' || target.includes('')) {
    throw new CommandError(
      codes.EmptyFieldName,
      `The update path '${operand}' contains an empty field name, which is not allowed.`,
    );
  }
  if (operand === name) {
    throw new CommandError(
      codes.BadValue,
      `The source and target field for $rename must differ: ${name}: "${operand}"`,
    );
  }
  if ([...path, ...target].some((part) => part.startsWith('$'))) {
    throw new CommandError(
      codes.BadValue,
      `The source and target field for $rename may not be dynamic: ${name}`,
    );
  }
  return {
    creates: true,
    apply: () => undefined,
    applyToRoot: (root) => move(root, path, target),
  };
}

function move(root: Doc, path: Path, target: Path): void {
  let parent: Maybe = root;
  for (const [depth, part] of path.slice(0, -1).entries()) {
    parent = isDoc(parent) ? parent.get(part) : undefined;
    if (Array.isArray(parent)) throw arrayElement('source', path, part, root);
    if (parent !== undefined && !isDoc(parent)) throw notTraversable(path, depth, parent);
  }
  const last = path.at(-1) as string;
  if (!isDoc(parent) || !parent.has(last)) return;
  let node: Maybe = root;
  for (const part of target.slice(0, -1)) {
    node = isDoc(node) ? node.get(part) : undefined;
    if (Array.isArray(node)) throw arrayElement('destination', target, part, root);
  }
  const value = parent.get(last) as Value;
  parent.delete(last);
  const assignment: FieldUpdate = { operator: '$rename', path: target, creates: true, apply: () => value };
  applyAt(root, assignment, { arrayIndex: undefined, inserting: false, now: 0, arrayFilters: new Map() });
}

function arrayElement(which: string, path: Path, part: string, root: Doc): CommandError {
  return new CommandError(
    codes.BadValue,
    `The ${which} field cannot be an array element, '${path.join('.')}' in doc with _id: ${show(root.get('_id') ?? null)} has an array field called '${part}'`,
  );
}

function notTraversable(path: Path, depth: number, value: Value): CommandError {
  return new CommandError(
    codes.PathNotViable,
    `Cannot use the part (${path[depth + 1]}) of (${path.join('.')}) to traverse the element ({${path[depth]}: ${show(value)}})`,
  );
}
