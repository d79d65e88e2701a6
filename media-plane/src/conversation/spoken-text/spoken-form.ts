import type { SpeechRule, SpokenLanguage } from './languages/spoken-language.js';
import { MARKUP } from './markup.js';
import { isUnspacedScript } from './scripts.js';
import { abbreviationRule, VERBALISATION } from './verbalisation.js';

/** What is written and spoken as one: it counts as heard as a whole. */
export interface Segment {
  /** Position in the written text behind it. */
  readonly writtenEnd: number;
  /** Characters of the spoken text up to its end, white space left out: voices count that in different ways. */
  readonly spokenEnd: number;
}

/** A piece of an answer as it was written, and as it is said. */
export interface SpokenForm {
  /** What transcript and history keep. */
  readonly written: string;
  /** What a voice is given; empty when nothing of it is to be said. */
  readonly spoken: string;
  readonly segments: readonly Segment[];
}

/** Words, also with apostrophes in them; an address may be glued to one. */
const WORD = /(?:(?!https?:\/\/)[\p{L}\p{M}])+(?:['’][\p{L}\p{M}]+)*/uy;
/** Of a longer run the next word is found in its beginning: each word looks at all that follows it. */
const UNSPACED_RUN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{1,240}/uy;
const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' });
const ENDS_IN_WORD = /[\p{L}\p{N}]$/u;
const BEGINS_WITH_WORD = /^[\p{L}\p{N}]/u;
const NO_PAUSE = /[\p{L}\p{M}\p{N}%°"'”’»)]$/u;
/** Of what was said before, for rules that look back, in characters. */
const LOOK_BACK = 40;
/** Of what is said, the end that may still be looked at or changed is kept apart, in characters. */
const KEPT_APART = 100;

/**
 * Returns how a text is said: markup, code, links and emoji are not; numbers, dates and the like are written out where
 * a language is given. Pure.
 * @param before what was said before the text, for what depends on it: “Your order number is …”
 */
export function spokenForm(text: string, language?: SpokenLanguage, before = ''): SpokenForm {
  const written = text.trimEnd();
  const rules = rulesOf(language);
  const form = new FormBuilder(before);
  for (let at = 0; at < text.length; ) {
    const end = applyRule(rules, text, at, form, language) ?? takeWord(text, at, form);
    const endsWord =
      end >= text.length || /\s/.test(text.charAt(end)) || isUnspacedScript(text.charAt(end - 1));
    if (endsWord) form.endSegment(Math.min(end, written.length));
    at = end;
  }
  return { written, ...form.result() };
}

const RULES = new WeakMap<SpokenLanguage, readonly SpeechRule[]>();

function rulesOf(language: SpokenLanguage | undefined): readonly SpeechRule[] {
  if (!language) return MARKUP;
  const known = RULES.get(language);
  if (known) return known;
  const rules = [...MARKUP, ...language.rules, abbreviationRule(language), ...VERBALISATION];
  RULES.set(language, rules);
  return rules;
}

/** Returns the segments of a text that is said as it is written. */
export function plainSegments(text: string): Segment[] {
  const segments: Segment[] = [];
  let spokenEnd = 0;
  for (const match of text.matchAll(/\S+/g)) {
    spokenEnd += [...match[0]].length;
    segments.push({ writtenEnd: match.index + match[0].length, spokenEnd });
  }
  return segments;
}

/** Counts characters without white space. */
export function countVisible(text: string): number {
  let count = 0;
  for (const char of text) if (!/\s/.test(char)) count++;
  return count;
}

function applyRule(
  rules: readonly SpeechRule[],
  text: string,
  at: number,
  form: FormBuilder,
  language: SpokenLanguage | undefined,
): number | undefined {
  const context = {
    language,
    before: form.tail(LOOK_BACK),
    nested: (inner: string) => spokenForm(inner, language).spoken,
  };
  for (const { pattern, say } of rules) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match || match[0] === '') continue;
    const said = say(match, context);
    if (said === undefined) continue;
    form.replace(match[0], said);
    return at + match[0].length;
  }
  return undefined;
}

function takeWord(text: string, at: number, form: FormBuilder): number {
  UNSPACED_RUN.lastIndex = at;
  const run = UNSPACED_RUN.exec(text)?.[0];
  if (run !== undefined) {
    const word = WORDS.segment(run)[Symbol.iterator]().next().value?.segment ?? run;
    form.add(word);
    return at + word.length;
  }
  WORD.lastIndex = at;
  const word = WORD.exec(text)?.[0] ?? String.fromCodePoint(text.codePointAt(at) ?? 32);
  form.add(word);
  return at + word.length;
}

/** Collects what is said, and which part of the writing it belongs to. */
class FormBuilder {
  readonly #before: string;
  /** What is said, all but its end: looking at a long string that grows copies it each time. */
  #said = '';
  /** The end of what is said. */
  #spoken = '';
  #visible = 0;
  #replaced = false;
  #omitted = false;
  readonly #segments: Segment[] = [];

  /** @param before what was said already */
  constructor(before: string) {
    this.#before = before === '' ? '' : `${before} `;
  }

  /** Adds what is said instead of `written`: words of their own, also within a word such as `B12`. */
  replace(written: string, said: string): void {
    const replaced = said !== '' && said !== written && said !== '\n';
    if (replaced && ENDS_IN_WORD.test(this.#spoken) && BEGINS_WITH_WORD.test(said)) this.#append(' ');
    this.add(said);
    this.#replaced = replaced;
    this.#omitted = said.trim() === '' && written.trim() !== '';
  }

  add(said: string): void {
    if (said === '\n') {
      // The end of a line is a pause.
      const line = this.#spoken.trimEnd();
      if (NO_PAUSE.test(line)) this.#append('.');
      this.#append(' ');
      return;
    }
    if (this.#replaced && ENDS_IN_WORD.test(this.#spoken) && BEGINS_WITH_WORD.test(said)) this.#append(' ');
    this.#replaced = false;
    // “It rose [1].”
    if (this.#omitted && /^[.,!?;:]/.test(said)) this.#spoken = this.#spoken.trimEnd();
    this.#omitted = false;
    this.#append(said);
  }

  #append(said: string): void {
    for (const char of said) {
      const space = /\s/.test(char);
      if (space && (this.#spoken === '' || this.#spoken.endsWith(' '))) continue;
      this.#spoken += space ? ' ' : char;
      if (!space) this.#visible++;
    }
    if (this.#spoken.length > 2 * KEPT_APART) {
      this.#said += this.#spoken.slice(0, -KEPT_APART);
      this.#spoken = this.#spoken.slice(-KEPT_APART);
    }
  }

  /** Returns the last of what was said, before this text included. */
  tail(characters: number): string {
    const missing = characters - this.#spoken.length;
    return missing > 0 ? this.#before.slice(-missing) + this.#spoken : this.#spoken.slice(-characters);
  }

  endSegment(writtenEnd: number): void {
    const last = this.#segments.at(-1);
    if (last?.spokenEnd === this.#visible && last.spokenEnd > 0) this.#segments.pop();
    if (this.#visible > 0) this.#segments.push({ writtenEnd, spokenEnd: this.#visible });
  }

  result(): { spoken: string; segments: readonly Segment[] } {
    const spoken = (this.#said + this.#spoken).trim();
    // Marks alone are no speech.
    if (!/[\p{L}\p{N}]/u.test(spoken)) return { spoken: '', segments: [] };
    return { spoken, segments: this.#segments };
  }
}
