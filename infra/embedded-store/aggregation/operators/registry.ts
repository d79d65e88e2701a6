import type { Build } from './operator.js';

export const REFUSED_EXPRESSIONS: ReadonlySet<string> = new Set([
  '$function',
  '$accumulator',
  '$meta',
  '$rand',
]);

/** Every expression operator, by name. */
export const operators: ReadonlyMap<string, Build> = new Map<string, Build>([
  ['$literal', (argument) => () => argument],
]);
