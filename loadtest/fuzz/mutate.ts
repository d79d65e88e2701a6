import type { Random } from '../system/seeded-random.js';

/** Values that parsers get wrong: bounds, other types, names of prototypes, text that is long or no text. */
const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  -1e-308,
  2 ** 31,
  2 ** 53,
  Number.MIN_SAFE_INTEGER,
  '',
  '0',
  '-1',
  'NaN',
  '1e999',
  '\u0000',
  '\ud800',
  '\u202e\u{1f600}',
  'x'.repeat(5000),
  '=HYPERLINK("x")',
  [],
  {},
  [[[[[[[[]]]]]]]],
  ['__proto__'],
  { length: 1e9 },
  { toString: null, valueOf: null },
];
const KEYS = ['__proto__', 'constructor', 'toString', '', 'length', 'event', 'media', 'payload', 'data'];

export const pick = <T>(random: Random, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)]!;
const below = (random: Random, limit: number) => Math.floor(random() * limit);

/** Changes a JSON text at one place of its structure; now and then its characters, or that it is JSON. */
export function mutateJson(random: Random, text: string): string {
  if (random() < 0.1) return mutateText(random, text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return mutateText(random, text);
  }
  return JSON.stringify(changed(random, value)) ?? 'undefined';
}

/** Returns a copy of a value with one change somewhere in it. */
function changed(random: Random, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || random() < 0.05) return pick(random, VALUES);
  const entries: [string, unknown][] = Object.entries(value);
  const at = below(random, entries.length);
  const dice = random();
  if (entries.length === 0 || dice < 0.1) entries.push([pick(random, KEYS), pick(random, VALUES)]);
  else if (dice < 0.25) entries.splice(at, 1);
  else if (dice < 0.3) entries[at] = [pick(random, KEYS), entries[at]![1]];
  else entries[at] = [entries[at]![0], changed(random, entries[at]![1])];
  return Array.isArray(value) ? entries.map(([, item]) => item) : withOwnKeys(entries);
}

/** `__proto__` becomes a key as any other, as `JSON.parse` makes it. */
function withOwnKeys(entries: readonly (readonly [string, unknown])[]): object {
  const made = {};
  for (const [key, value] of entries) {
    Object.defineProperty(made, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return made;
}

const TOKENS = [
  '',
  '0',
  '-1',
  '99999999999999999999',
  '4294967296',
  '1e5',
  'NaN',
  '\u0000',
  '%s',
  '"',
  'x'.repeat(3000),
];

/** Changes lines of a text: leaves one out, repeats one, swaps two, changes a word. */
export function mutateLines(random: Random, text: string, newline: string): string {
  if (random() < 0.1) return mutateText(random, text);
  const lines = text.split(newline);
  const at = below(random, lines.length);
  const other = below(random, lines.length);
  const dice = random();
  if (dice < 0.2) lines.splice(at, 1);
  else if (dice < 0.35)
    lines.splice(at, 0, ...Array.from({ length: 1 + below(random, 40) }, () => lines[other]!));
  else if (dice < 0.5) [lines[at], lines[other]] = [lines[other]!, lines[at]!];
  else {
    const words = lines[at]!.split(/([ :;,=/])/);
    words[below(random, words.length)] = pick(random, TOKENS);
    lines[at] = words.join('');
  }
  return lines.join(newline);
}

/** Changes characters: takes some out, repeats some, puts others there. */
export function mutateText(random: Random, text: string): string {
  const at = below(random, text.length + 1);
  const to = Math.min(text.length, at + below(random, 30));
  const dice = random();
  if (dice < 0.35) return text.slice(0, at) + text.slice(to);
  if (dice < 0.6) return text.slice(0, to) + text.slice(at);
  if (dice < 0.75) return text.slice(0, at);
  return (
    text.slice(0, at) +
    pick(random, ['\u0000', '"', '\\', '{', ']', '\ud800', '\ufeff', '\r', '9']) +
    text.slice(to)
  );
}

const INTEGERS = [0, 1, -1, 4, 5, 15, 16, 0x7fffffff, -0x80000000, 48_000_000, 48_000_001, 0x00ffffff];

/** Changes bytes: flips one, writes a bad length somewhere, cuts, repeats a part. */
export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  const made = Buffer.from(bytes);
  const at = below(random, made.length);
  const dice = random();
  if (dice < 0.3) made[at] = below(random, 256);
  else if (dice < 0.75 && made.length >= 4)
    made.writeInt32LE(pick(random, INTEGERS), Math.min(at, made.length - 4));
  else if (dice < 0.87) return made.subarray(0, at);
  else return Buffer.concat([made.subarray(0, at), made.subarray(below(random, at + 1))]);
  return made;
}
