import { RE2JS } from 're2js';

/** In characters. */
const LONGEST_PATTERN = 500;

/** Why a pattern is not taken, in words for its author. */
export class UnsupportedPattern extends Error {}

/** A tenant's regular expression, matched in time linear in the text (RE2), whatever it is and is run on. */
export interface LinearPattern {
  /** Instructions of the compiled program; a match costs at most this times the text's length. */
  readonly size: number;
  /** Returns whether it matches anywhere in the text, as `pattern` of JSON Schema does. */
  matches(text: string): boolean;
}

/**
 * Compiles a pattern in the notation of ECMAScript. What only a backtracking engine can match (lookaround,
 * back-references) or what becomes a huge program (large or nested counts) throws `UnsupportedPattern`.
 */
export function linearPattern(source: string): LinearPattern {
  if (source.length > LONGEST_PATTERN) {
    throw new UnsupportedPattern(`is a pattern of more than ${LONGEST_PATTERN} characters`);
  }
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(source));
    return { size: compiled.programSize(), matches: (text) => compiled.test(text) };
  } catch (cause) {
    // Its complaint quotes the part of the pattern that it stumbled over.
    const why = cause instanceof Error ? cause.message.replace(/^error parsing regexp: /, '') : 'unreadable';
    throw new UnsupportedPattern(
      `is no pattern in the syntax of RE2, which has no lookaround and no back-references (${why})`,
      { cause },
    );
  }
}
