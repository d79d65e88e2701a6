// Parsers of environment variables and command-line values. Their errors read "expected a number, got 'abc'".

import { z } from 'zod';

const SHOWN_CHARACTERS = 80;
const MAX_PORT = 65_535;

/** Quotes a value for an error message: cut to 80 characters, without the credentials of a URL. */
export function quoted(value: unknown): string {
  const text = String(value).replace(/\/\/[^/@\s]*@/g, '//…@');
  return `'${text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text}'`;
}

/** Returns zod's `error` for what was expected. */
/** Words an error by what was expected and what was got. */
export const expected =
  (what: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    `expected ${what}, got ${quoted(input)}`;

export interface NumberRange {
  readonly min: number;
  readonly max: number;
  /** Appended to the error when the number is too small: why, or what to do. */
  readonly hint?: string;
}

function numeric(kind: 'a number' | 'a whole number', { min, max, hint }: NumberRange) {
  return z.string().transform((text, context) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (!Number.isFinite(value)) {
      context.addIssue(`expected a number, got ${quoted(text)}`);
      return z.NEVER;
    }
    const isWanted = kind === 'a number' || Number.isInteger(value);
    if (isWanted && value >= min && value <= max) return value;
    const range = max < Number.MAX_SAFE_INTEGER ? `from ${min} to ${max}` : `of at least ${min}`;
    const why = hint && value < min ? `: ${hint}` : '';
    context.addIssue(`expected ${kind} ${range}, got ${quoted(text)}${why}`);
    return z.NEVER;
  });
}

/** Parses a number in a range, bounds included. */
export const number = (range: NumberRange) => numeric('a number', range);

/** Parses a whole number in a range, bounds included. */
export const wholeNumber = (range: NumberRange) => numeric('a whole number', range);

/** Parses a TCP or UDP port; 0 asks for a free one. */
export const port = wholeNumber({ min: 0, max: MAX_PORT });

/** Parses a number of seconds in a range (seconds, bounds included) to milliseconds. */
export const seconds = (range: NumberRange) => wholeNumber(range).transform((value) => value * 1000);

/** Parses `on` or `off` to a boolean. */
export const onOff = z
  .enum(['on', 'off'], { error: expected('on or off') })
  .transform((text) => text === 'on');

/** Parses one of some words. */
export const choice = <const Word extends string>(words: readonly [Word, ...Word[]]) =>
  z.enum(words, { error: expected(alternatives(words)) });

function alternatives(words: readonly string[]): string {
  return words.length === 1 ? String(words[0]) : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** Parses an absolute URL of the given schemes. */
export const url = (...schemes: readonly [string, ...string[]]) =>
  z
    .string()
    .trim()
    .pipe(
      z.url({
        protocol: new RegExp(`^(${schemes.join('|')})$`),
        error: expected(`a URL that begins with ${alternatives(schemes.map((scheme) => `${scheme}://`))}`),
      }),
    );

export const httpUrl = url('http', 'https');

/** Parses a URL that paths are appended to: without trailing slashes. */
export const baseUrl = (...schemes: readonly [string, ...string[]]) =>
  url(...schemes).transform((text) => text.replace(/\/+$/, ''));

export const httpBaseUrl = baseUrl('http', 'https');

/** Parses one base URL or several by comma; an empty entry is an error. */
export const httpBaseUrls = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(httpBaseUrl).min(1));

/** Parses entries by comma: trimmed, empty ones left out. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ''),
);

/** Parses text, trimmed; blank text counts as absent. */
export const optionalText = z
  .string()
  .optional()
  .transform((text) => text?.trim() || undefined);

/** Parses text of a form. `what` names the form in the error: "a MongoDB URI". */
export const matching = (form: RegExp, what: string) => z.string().regex(form, { error: expected(what) });

/** Parses an address or name to listen on. */
export const host = matching(/^[\w.:-]{1,253}$/, 'an IP address or a host name');

/** Parses a secret of a form; the error does not repeat it. */
export const secretMatching = (form: RegExp, what: string) =>
  z.string().regex(form, { error: `expected ${what}` });

/** Parses a secret of a least length; the error does not repeat it. `hint` says how to make one. */
export const secret = (minCharacters: number, hint?: string) =>
  z.string().min(minCharacters, {
    error: ({ input }) =>
      `expected at least ${minCharacters} characters, got ${String(input).length}${hint ? `: ${hint}` : ''}`,
  });

/** Parses a MongoDB connection string; the error does not repeat it, since it may hold a password. */
export const mongodbUri = secretMatching(
  /^mongodb(\+srv)?:\/\//,
  'a URI that begins with mongodb:// or mongodb+srv://',
);

/** Parses the level from which a process logs. */
export const logLevel = choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);
