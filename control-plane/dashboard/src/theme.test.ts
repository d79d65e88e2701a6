import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SOURCES = fileURLToPath(new URL('./', import.meta.url));
const THEME = readFileSync(`${SOURCES}app.css`, 'utf8');
/** Colours that the theme gives, by the names that classes use. */
const TOKENS = new Set([...THEME.matchAll(/--color-([a-z][a-z-]*):/g)].map(([, name]) => name));
/** Classes that begin like those of a colour and name something else. */
const NO_COLOR =
  /^(text-(xs|sm|base|xl|left|right|center)|outline-(none|offset)|(bg|text|border)-\[|border-[tblrxy])/;

it('gives every colour that a class names: one that it does not know is no colour at all', () => {
  const classes = globSync('**/*.tsx', { cwd: SOURCES }).flatMap((file) => {
    const strings = readFileSync(`${SOURCES}${file}`, 'utf8').match(/(["'`])(?:(?!\1).)*\1/gs) ?? [];
    return strings.flatMap((text) => text.slice(1, -1).split(/\s+/));
  });
  // What is no name any more stood in a string within a template.
  const plain = classes.map((name) => name.replace(/^(?:[\w[\]=-]+:)+/, '').replace(/[^\w\-/[\]].*$/, ''));
  const colors = plain.filter(
    (name) => /^(bg|border|outline|divide)-[a-z]/.test(name) && !NO_COLOR.test(name),
  );
  const unknown = colors.filter((name) => {
    const [, token = ''] = /^[a-z]+-([a-z-]+?)(?:\/\d+)?$/.exec(name) ?? [];
    return !TOKENS.has(token) && !/^(dashed|solid|collapse|[xy])$/.test(token);
  });
  expect(colors.length).toBeGreaterThan(100);
  expect([...new Set(unknown)]).toEqual([]);
});
