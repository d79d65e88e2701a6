import { Double, Int32, ObjectId, Regex, type Value } from './values.js';

/** Formats a value as MongoDB's error messages do. */
export function show(value: Value): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof Int32) return String(value.value);
  if (value instanceof Double)
    return Number.isInteger(value.value) ? `${value.value}.0` : String(value.value);
  if (value instanceof ObjectId) return `ObjectId('${value.hex()}')`;
  if (value instanceof Regex) return `/${value.pattern}/${value.options}`;
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[ ${value.map(show).join(', ')} ]`;
  if (value instanceof Map) {
    if (value.size === 0) return '{}';
    return `{ ${[...value].map(([name, field]) => `${name}: ${show(field)}`).join(', ')} }`;
  }
  if ('millis' in value) return `new Date(${value.millis})`;
  return value.constructor.name === 'Decimal128' ? `${value}` : `(${value.constructor.name})`;
}
