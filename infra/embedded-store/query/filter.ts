import type { Value } from '../bson/values.js';
import type { Expression } from '../expressions/expression.js';
import type { Path } from '../fields/path.js';

/** A query filter, parsed. */
export type Filter =
  | { readonly kind: 'and'; readonly all: readonly Filter[] }
  | { readonly kind: 'or'; readonly any: readonly Filter[] }
  | { readonly kind: 'not'; readonly filter: Filter }
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'expression'; readonly expression: Expression }
  | { readonly kind: 'field'; readonly path: Path; readonly test: Test };

/** What one value under a path is asked. */
export type Test =
  | { readonly kind: 'compare'; readonly operator: Comparison; readonly operand: Value }
  | { readonly kind: 'in'; readonly operands: readonly Value[]; readonly patterns: readonly Pattern[] }
  | { readonly kind: 'regex'; readonly pattern: Pattern }
  | { readonly kind: 'exists' }
  | { readonly kind: 'value'; readonly accepts: (value: Value) => boolean }
  | { readonly kind: 'size'; readonly size: number }
  | {
      readonly kind: 'elementValue';
      readonly accepts: (element: Value) => boolean;
      readonly tests: readonly Test[];
    }
  | { readonly kind: 'elementDocument'; readonly filter: Filter };

export type Comparison = '$eq' | '$lt' | '$lte' | '$gt' | '$gte';

export interface Pattern {
  readonly source: { readonly pattern: string; readonly options: string };
  readonly regexp: RegExp;
}

export const MATCH_ALL: Filter = { kind: 'constant', value: true };

/** Joins filters that all must hold; one alone stays itself. */
export function allOf(filters: readonly Filter[]): Filter {
  const flat = filters.flatMap((filter) => (filter.kind === 'and' ? filter.all : [filter]));
  const first = flat[0];
  if (first === undefined) return MATCH_ALL;
  return flat.length === 1 ? first : { kind: 'and', all: flat };
}
