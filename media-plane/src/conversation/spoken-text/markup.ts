import type { SpeechContext, SpeechRule } from './languages/spoken-language.js';

/** What is for the eye and never said: markup, code, tool calls, addresses of links, emoji. */

const NOTHING = () => '';
const SPACE = () => ' ';
const LINE_START = '(?<=^|\\n)[ \\t]*';

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
]);

/** What JSON may begin with, tried once for a run of white space and not at each space of it. */
const JSON_LEAD = '(?:\\[\\s*|(?<!\\s)\\s+)?';
/** Names of a program, not words: `end_call`, `calendar.bookSlot`. */
const IDENTIFIER = '[A-Za-z][A-Za-z0-9]*(?:[._][A-Za-z0-9]+){1,16}';
const EMOJI =
  /(?:[#*0-9]\ufe0f?\u20e3|\p{Regional_Indicator}{2}|\p{Extended_Pictographic}(?:\ufe0f|\ufe0e|\p{Emoji_Modifier}|\u200d|[\u{e0020}-\u{e007f}]|\p{Extended_Pictographic}(?=\ufe0f|\u200d))*|\ufe0f|\u200d)+/uy;

/**
 * None may look far beyond what it consumes: a limit or the next opening ends it. They are tried at every character, and
 * openings that nothing closes would take quadratic time.
 */
export const MARKUP: readonly SpeechRule[] = [
  { pattern: /```[\s\S]*?(?:```|$)/y, say: SPACE },
  { pattern: /\n\s*/y, say: () => '\n' },
  { pattern: jsonPattern(), say: SPACE },
  { pattern: new RegExp(`${JSON_LEAD}\\{\\s*"\\w+"\\s*:[\\s\\S]*$`, 'y'), say: SPACE },
  // The name of a tool alone on its line.
  { pattern: new RegExp(`${LINE_START}[a-z]+(?:_[a-z0-9]+)+[ \\t]*(?=\\n|$)`, 'y'), say: NOTHING },
  // Rules and the lines of tables, headings, quotations, list marks.
  { pattern: new RegExp(`${LINE_START}(?:[-*_][ \\t]*){3,}(?=\\n|$)`, 'y'), say: NOTHING },
  { pattern: new RegExp(`${LINE_START}(?:\\|[ \\t]*)?:?--[-|: \\t]*(?=\\n|$)`, 'y'), say: NOTHING },
  {
    pattern: new RegExp(`${LINE_START}(?:#{1,6}|>+|[-*+•‣◦·–—])[ \\t]+(?:\\[[ xX]\\][ \\t]+)?`, 'y'),
    say: NOTHING,
  },
  { pattern: new RegExp(`${LINE_START}(\\d{1,2})[.)][ \\t]+(?=\\S)`, 'y'), say: sayItem },
  // Images and citations; of links the text.
  { pattern: /!\[[^\]\n]{0,500}\]\([^)\n]{0,2000}\)/y, say: NOTHING },
  { pattern: /\[\^?\d{1,3}\]|【[^】\n]{0,200}】/y, say: NOTHING },
  {
    pattern: /\[([^[\]\n]+)\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)?\)/y,
    say: ([, text = ''], { nested }) => nested(text),
  },
  { pattern: /<?(?:https?:\/\/|\bwww\.)([^\s<>"'`)\]]+)>?/y, say: sayAddress },
  {
    pattern: /(?<![\w.])\p{L}[\w.+-]{0,63}@[\w-]+(?:\.[\w-]+)+/uy,
    say: ([address], { language }) => language && sayName(address, language.signs),
  },
  {
    pattern:
      /(?<![\w.@])[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}\.(?:com|org|net|io|dev|app|de|es|fr|co\.uk|eu|info|biz)\b(?:\/[^\s<>"'`)\]]*[\w/])?/y,
    say: sayAddress,
  },
  // Tool calls written as text: `[end_call]`, `functions.end_call({…})`.
  {
    pattern: /\[\/?[A-Z]+(?:_[A-Z]+)+\]|\[\/?[A-Za-z][A-Za-z0-9]*[._][A-Za-z0-9][^\]\n]{0,2000}\]/y,
    say: NOTHING,
  },
  { pattern: new RegExp(`(?<![\\w@])${IDENTIFIER}\\((?:[^()\\n]|\\([^()\\n]*\\))*\\)`, 'y'), say: NOTHING },
  { pattern: /`+([^`\n]*)`+/y, say: sayCode },
  { pattern: /<\/?[a-zA-Z!][^<>\n]*>/y, say: SPACE },
  { pattern: /&(amp|lt|gt|quot|apos|nbsp|#\d{1,6});/y, say: ([, name = '']) => ENTITIES.get(name) ?? ' ' },
  { pattern: /(?<![\w:;])[:;=]['’]?-?[)(DPp|/\\](?![\w/])/y, say: NOTHING },
  { pattern: EMOJI, say: SPACE },
  // Emphasis; a star between numbers is a sign.
  { pattern: /\*(?!\s?\d)|(?<!\d\s?)\*|~~|`/y, say: NOTHING },
  { pattern: /(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/uy, say: NOTHING },
  { pattern: /_+/y, say: SPACE },
  {
    pattern: /(?:(?<![ \t])[ \t]+)?\|[ \t]*/y,
    say: (_, { before }) => (/[\p{L}\p{N}]$/u.test(before) ? ', ' : ' '),
  },
  { pattern: /\\(?=[^\s\w])/y, say: NOTHING },
];

/** JSON with a name and brackets within brackets, as models write tool calls into their text. */
function jsonPattern(): RegExp {
  const inner = '[^{}]';
  let object = `\\{${inner}*\\}`;
  for (let depth = 0; depth < 4; depth++) object = `\\{(?:${inner}|${object})*\\}`;
  return new RegExp(`${JSON_LEAD}(?=\\{\\s*")${object}(?:\\s*,\\s*${object})*\\s*\\]?`, 'y');
}

function sayItem(
  { 0: mark, 1: number = '', index, input }: RegExpExecArray,
  { language }: SpeechContext,
): string | undefined {
  const [next = ''] = /^\p{L}+/u.exec(input.slice(index + mark.length)) ?? [];
  // A date of a language that writes it so.
  if (language?.months.has(next.toLowerCase())) return undefined;
  return `${language?.cardinal(Number(number)) ?? number}, `;
}

/** Inline code that is plain words is meant as such (“press `1`”). */
function sayCode([, code = '']: RegExpExecArray, { nested }: SpeechContext): string {
  return /[{}()[\];=<>\\$|]|\w_\w|\w\.[a-z]+[A-Z]/.test(code) ? ' ' : nested(code);
}

/** Looked for at the beginning of a run only. */
const TRAILING_MARKS = /(?<![.,!?;:])[.,!?;:]+$/;

/** Of an address its host is said; how it goes on nobody remembers. */
function sayAddress([whole]: RegExpExecArray, { language }: SpeechContext): string {
  const [trailing = ''] = TRAILING_MARKS.exec(whole.replace(/>$/, '')) ?? [];
  const [host = ''] = whole
    .replace(/^<|>$|(?<![.,!?;:])[.,!?;:]+$/g, '')
    .replace(/^https?:\/\//, '')
    .split(/[/?#]/);
  const name = host.replace(/^www\./, '').replace(/^[^@]*@|:\d+$/g, '');
  return (language ? sayName(name, language.signs) : name) + trailing;
}

function sayName(name: string, { dot, at }: { readonly dot: string; readonly at: string }): string {
  return name.replaceAll('.', ` ${dot} `).replaceAll('@', ` ${at} `).replaceAll('_', ' ');
}
