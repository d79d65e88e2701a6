import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import { type Html, html, Html as Written } from './html.js';

const LANGUAGES = { bash, go, java, javascript, json, python, typescript } as const;
const ALIASES: Readonly<Record<string, keyof typeof LANGUAGES>> = {
  sh: 'bash',
  js: 'javascript',
  ts: 'typescript',
};
for (const [name, grammar] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, grammar);

/** What a screen reader calls a block of code. */
const SPOKEN: Readonly<Record<string, string>> = {
  bash: 'Shell',
  go: 'Go',
  java: 'Java',
  javascript: 'JavaScript',
  json: 'JSON',
  python: 'Python',
  typescript: 'TypeScript',
};

/**
 * Renders a block of code with its words marked by classes, and a button that copies it (docs.js). Of an unknown
 * language it is plain. Only the first word of `language` counts: a fence may say more behind it.
 */
export function highlighted(code: string, language = ''): Html {
  const [word = ''] = language.split(' ');
  const known = ALIASES[word] ?? word;
  const marked =
    known in LANGUAGES ? new Written(highlighter.highlight(code, { language: known }).value) : code;
  const spoken = SPOKEN[known] ?? 'Text';
  return html`<div class="code"><button type="button" class="copy" data-copy hidden>Copy</button><pre tabindex="0" role="group" aria-label="${spoken}"><code>${marked}</code></pre></div>`;
}
