import { type Doc, isDoc, isNumber, type Maybe, type Value } from '../bson/values.js';
import { CommandError, notSupported } from '../errors/errors.js';
import { type Expression, type ParseContext, parseExpression, truthy } from '../expressions/expression.js';
import { BASE_CONTEXT } from '../expressions/operators/registry.js';
import { splitPath } from '../fields/path.js';
import type { Filter } from '../query/filter.js';
import { type MatchDetails, matches } from '../query/match.js';
import {
  elementMatchProjection,
  type Pick,
  positionalProjection,
  sliceProjection,
} from './array-projections.js';

/** Shapes a document. A positional projection takes its position from the filter's match. */
export type Projection = (doc: Doc, filter?: Filter) => Doc;

/** What a projection does with one field. */
type Leaf =
  | { readonly kind: 'include' }
  | { readonly kind: 'exclude' }
  | { readonly kind: 'compute'; readonly expression: Expression }
  | { readonly kind: 'pick'; readonly pick: Pick; readonly including: boolean };

type Node = { readonly kind: 'node'; readonly children: Map<string, Node | Leaf> };

/** Parses a find projection or a `$project`; `picks` allows find's `$slice`, `$elemMatch` and `a.$`. */
export function parseProjection(
  spec: Doc,
  picks = true,
  context: ParseContext = BASE_CONTEXT,
): Projection | undefined {
  if (spec.size === 0) return undefined;
  const root: Node = { kind: 'node', children: new Map() };
  for (const [name, value] of spec) addField(root, name, value, picks, context);
  const including = isInclusion(root);
  const positional = picks && [...spec.keys()].some((name) => name.endsWith('.$'));
  return (doc, filter) => {
    const details: MatchDetails = {};
    if (positional && filter) matches(filter, doc, details);
    const scope = { root: doc, current: doc, variables: context.values };
    const shaped = including ? include(root, doc, details, true) : exclude(root, doc, details);
    return compute(root, shaped, (expression) => expression(scope));
  };
}

/** Parses `$addFields`: computed fields only, all else stays. */
export function parseAddedFields(spec: Doc, context: ParseContext): Projection {
  const root: Node = { kind: 'node', children: new Map() };
  for (const [name, value] of spec) addComputed(root, name, value, context);
  return (doc) => {
    const scope = { root: doc, current: doc, variables: context.values };
    return compute(root, new Map(doc), (expression) => expression(scope));
  };
}

function addComputed(root: Node, name: string, value: Value, context: ParseContext): void {
  const nested = isDoc(value) && value.size > 0 && ![...value.keys()].some((key) => key.startsWith('$'));
  if (!nested) {
    put(root, name, { kind: 'compute', expression: parseExpression(value, context) });
    return;
  }
  for (const [field, inner] of value) addComputed(root, `${name}.${field}`, inner, context);
}

function addField(root: Node, name: string, value: Value, picks: boolean, context: ParseContext): void {
  if (name.endsWith('.$') && picks) {
    put(root, name.slice(0, -2), { kind: 'pick', pick: positionalProjection, including: true });
    return;
  }
  if (typeof value === 'boolean' || isNumber(value)) {
    put(root, name, { kind: truthy(value) ? 'include' : 'exclude' });
    return;
  }
  if (!isDoc(value)) {
    put(root, name, { kind: 'compute', expression: parseExpression(value, context) });
    return;
  }
  const first = value.keys().next().value;
  if (first === undefined)
    throw new CommandError(51270, 'An empty sub-projection is not a valid value. Found empty object at path');
  if (picks && (first === '$slice' || first === '$elemMatch')) {
    if (value.size !== 1)
      throw new CommandError(31255, `Cannot combine ${first} with other operators in a projection`);
    put(root, name, pickLeaf(first, name, value.get(first) as Value));
  } else if (first.startsWith('$')) {
    put(root, name, { kind: 'compute', expression: parseExpression(value, context) });
  } else {
    for (const [field, inner] of value) addField(root, `${name}.${field}`, inner, picks, context);
  }
}

function pickLeaf(operator: '$slice' | '$elemMatch', name: string, argument: Value): Leaf {
  if (operator === '$slice') return { kind: 'pick', pick: sliceProjection(argument), including: false };
  if (name.includes('.'))
    throw new CommandError(31275, 'Cannot use $elemMatch projection on a nested field.');
  return { kind: 'pick', pick: elementMatchProjection(argument), including: true };
}

function put(root: Node, name: string, leaf: Leaf): void {
  const path = splitPath(name);
  if (path.includes(''))
    throw new CommandError(40352, 'FieldPath cannot be constructed with an empty string or component');
  const dollar = path.find((part) => part.startsWith('$'));
  if (dollar === '$') throw notSupported(`the positional projection '${name}' other than at the end`);
  if (dollar !== undefined)
    throw new CommandError(
      16410,
      "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
    );
  let node = root;
  for (const [at, part] of path.entries()) {
    const existing = node.children.get(part);
    const last = at === path.length - 1;
    if (existing && (last || existing.kind !== 'node')) {
      throw new CommandError(
        31249,
        `Path collision at ${name}${last ? '' : ` remaining portion ${path.slice(at + 1).join('.')}`}`,
      );
    }
    if (last) node.children.set(part, leaf);
    else {
      const next: Node = existing?.kind === 'node' ? existing : { kind: 'node', children: new Map() };
      node.children.set(part, next);
      node = next;
    }
  }
}

/** Checks whether only named fields stay. Mixing both ways is an error, but for `_id`. */
function isInclusion(root: Node): boolean {
  const seen = { including: '', excluding: '', computing: '' };
  survey(root, '', seen);
  if (seen.including && seen.excluding) {
    throw new CommandError(31254, `Cannot do exclusion on field ${seen.excluding} in inclusion projection`);
  }
  if (seen.computing && seen.excluding) {
    throw new CommandError(31252, `Cannot use an expression ${seen.computing} in an exclusion projection`);
  }
  if (seen.including || seen.computing) return true;
  if (seen.excluding) return false;
  return root.children.get('_id')?.kind === 'include';
}

function survey(
  node: Node,
  prefix: string,
  seen: { including: string; excluding: string; computing: string },
): void {
  for (const [name, child] of node.children) {
    const path = prefix + name;
    if (child.kind === 'node') survey(child, `${path}.`, seen);
    else if (child.kind === 'compute') seen.computing = path;
    else if (child.kind === 'pick') seen.including ||= child.including ? path : '';
    else if (path === '_id') continue;
    else if (child.kind === 'include') seen.including = path;
    else seen.excluding = path;
  }
}

function include(node: Node, doc: Doc, details: MatchDetails, top: boolean): Doc {
  const result: Doc = new Map();
  for (const [name, value] of doc) {
    const child = node.children.get(name);
    if (child === undefined) {
      if (top && name === '_id') result.set(name, value);
    } else if (child.kind === 'include') result.set(name, value);
    else if (child.kind === 'pick') setIfPresent(result, name, child.pick(value, details));
    else if (child.kind === 'node') setIfPresent(result, name, includeIn(child, value, details));
  }
  return result;
}

function includeIn(node: Node, value: Value, details: MatchDetails): Maybe {
  if (isDoc(value)) return include(node, value, details, false);
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((item) => {
    const kept = includeIn(node, item, details);
    return kept === undefined ? [] : [kept];
  });
}

function exclude(node: Node, doc: Doc, details: MatchDetails): Doc {
  const result: Doc = new Map();
  for (const [name, value] of doc) {
    const child = node.children.get(name);
    if (child === undefined || child.kind === 'include') result.set(name, value);
    else if (child.kind === 'pick') setIfPresent(result, name, child.pick(value, details));
    else if (child.kind === 'node') result.set(name, excludeIn(child, value, details));
  }
  return result;
}

function excludeIn(node: Node, value: Value, details: MatchDetails): Value {
  if (isDoc(value)) return exclude(node, value, details);
  return Array.isArray(value) ? value.map((item) => excludeIn(node, item, details)) : value;
}

function setIfPresent(doc: Doc, name: string, value: Maybe): void {
  if (value !== undefined) doc.set(name, value);
}

/** Sets the computed fields of a tree in a document that may be changed. */
function compute(node: Node, doc: Doc, evaluate: (expression: Expression) => Maybe): Doc {
  for (const [name, child] of node.children) {
    if (child.kind === 'compute') {
      const value = evaluate(child.expression);
      if (value === undefined) doc.delete(name);
      else doc.set(name, value);
    } else if (child.kind === 'node' && computes(child)) {
      doc.set(name, computeIn(child, doc.get(name), evaluate));
    }
  }
  return doc;
}

function computeIn(node: Node, value: Maybe, evaluate: (expression: Expression) => Maybe): Value {
  if (Array.isArray(value)) return value.map((item) => computeIn(node, item, evaluate));
  return compute(node, isDoc(value) ? new Map(value) : new Map(), evaluate);
}

function computes(node: Node): boolean {
  return [...node.children.values()].some(
    (child) => child.kind === 'compute' || (child.kind === 'node' && computes(child)),
  );
}
