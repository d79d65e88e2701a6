import { anyCharacter } from '@voice/shared/testing/any-character';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SpeechManner, SpokenText, spokenText } from './spoken-text.js';

const ENGLISH: SpeechManner = { language: 'en-US', writesOut: true, startsMidClause: false };
const AS_WRITTEN: SpeechManner = { ...ENGLISH, writesOut: false };

/** Gives the model's deltas one after the other. */
function speak(deltas: readonly string[], manner = ENGLISH) {
  const text = new SpokenText(manner);
  const forms = deltas.flatMap((delta) => text.push(delta));
  return [...forms, ...text.end()];
}

const said = (text: string, manner = AS_WRITTEN) => speak([text], manner).map(({ spoken }) => spoken);
const fixed = (text: string) => spokenText(text, AS_WRITTEN).spoken;

/** What models write, in pieces that mean something together or not. */
const fragment = fc.oneof(
  fc.constantFrom(
    '<think>',
    '</think>',
    '<tool_call>',
    '</tool_call>',
    '```',
    '`',
    '**',
    '_',
    '[see](https://a.example/b)',
    'https://www.example.com/x?y=1',
    '{"name": "f", "arguments": {"a": 1}}',
    '\n',
    '\n- ',
    '\n1. ',
    '# ',
    '👍🏽',
    '👨‍👩‍👧',
    '。',
    '，',
    '好的',
    'ค่ะ ',
    ', ',
    '. ',
    '! ',
    '$42.50 ',
    'May 5, 2026 ',
    '+1 (555) 123-4567 ',
    'Dr. ',
    '3:30 pm ',
    'Of course',
    ' let me check ',
    '<',
    '>',
    '|',
  ),
  fc.string({ maxLength: 8, unit: anyCharacter }),
  fc.lorem({ maxCount: 3 }),
);
const anyText = fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join(''));

describe('what a model writes and nobody says', () => {
  it.each([
    ['**Sure!** That is _all_ __yours__.', 'Sure! That is all yours.'],
    ['## Your order\nIt has shipped', 'Your order. It has shipped'],
    ['- apples\n- pears\n* plums', 'apples. pears. plums'],
    ['> They said so.', 'They said so.'],
    ['[our page](https://example.com/a?b=c) has it', 'our page has it'],
    ['See https://www.example.com/a/b?c=d.', 'See example.com.'],
    ['![a chart](chart.png)It rose [1].', 'It rose.'],
    ['Great 😀👍🏽👨‍👩‍👧 news! 🇩🇪 1️⃣', 'Great news!'],
    ['Fine :) then ;-)', 'Fine then'],
    ['Press `1` now. Use `order.findById(id)` there.', 'Press 1 now. Use there.'],
    ['| day | time |\n|---|---|\n| Monday | nine |', 'day, time, Monday, nine,'],
    ['<b>Now</b> &amp; here<br/>', 'Now & here'],
    ['Goodbye! functions.end_call({"reason": "done"})', 'Goodbye!'],
    ['Goodbye! [end_call]', 'Goodbye!'],
    ['Call {"name": "end_call", "arguments": {"a": {"b": [1]}}} now', 'Call now'],
    ['Well {"name": "end_call", "argum', 'Well'],
    ['***', ''],
  ])('says %j as %j', (text, spoken) => {
    expect(fixed(text)).toBe(spoken);
  });

  it('is its thoughts, tool calls and template marks: they leave no trace', () => {
    const forms = speak([
      '<think>They want. A table.</think>We have a table. <tool_call>{"a": "b"}</tool_call>',
      'It is free.<|im_end|>',
    ]);
    expect(forms.map(({ written }) => written)).toEqual(['We have a table.', 'It is free.']);
    expect(said('<thinking>Never closed. Never heard.')).toEqual([]);
    expect(said('begun before</think>We are open.')).toEqual(['begun beforeWe are open.']);
    expect(said('Is 3 < 4 and 5 > 2, is it?')).toEqual(['Is 3 < 4 and 5 > 2, is it?']);
  });

  it('stays with what was written, as a part of what follows it', () => {
    expect(speak(['```\nx = 1\n```\n', 'That is it.'])).toMatchObject([
      { written: '```\nx = 1\n```\nThat is it.', spoken: 'That is it.' },
    ]);
  });
});

describe('what nobody says, however much of it a model writes', () => {
  const repeated = (text: string, length = 40_000) => text.repeat(length / text.length);

  it.each([' ', '\n', '\t', '\u00a0'])('is passed over where it is white space: %j', (text) => {
    expect(said(`We are open.${repeated(text, 200_000)}Come in.`)).toEqual(['We are open.', 'Come in.']);
  });

  it.each([
    ['. '],
    ['... '],
    ['😀 '],
    ['[a_b] '],
    ['('],
    ['{'],
    ['<'],
    ['|'],
    ['!['],
    ['![]('],
    ['【'],
    ['\n- '],
    ['\n[ ]('],
  ])('takes time linear in its length: %j', (text) => {
    expect(said(`We are open.\n${repeated(text)}`, ENGLISH)).toEqual(['We are open.']);
  });

  it.each([['-'], ['好'], ['!['], ['{"'], ['| ']])(
    'takes time linear in its length within JSON that never ends: %j',
    (text) => {
      expect(said(`We are open.\n{"${repeated(text)}`, ENGLISH)[0]).toBe('We are open.');
    },
  );

  it.each([[' '], ['!['], ['[a_b'], ['a-'], ['----a'], ['a|']])(
    'takes time linear in its length within a fixed text: %j',
    (text) => {
      expect(fixed(`We are open. ${repeated(text, 100_000)} Goodbye.`)).toMatch(
        /^We are open\..* Goodbye\.$/,
      );
    },
  );

  it('is forgotten when it goes on for thousands of pieces, and what follows is said', () => {
    const forms = speak([`${repeated('😀 ')}We are open.`]);
    expect(forms.map(({ spoken }) => spoken)).toEqual(['We are open.']);
    expect(forms[0]?.written).toMatch(/^(?:😀 )+We are open\.$/);
    expect(forms[0]?.written.length).toBeLessThan(20_000);
  });

  it('is kept up to the length of code that is not cut', () => {
    const code = `\`\`\`\n${'x = 1\n'.repeat(3000)}\`\`\`\n`;
    expect(speak([code, 'That is it.'])).toMatchObject([
      { written: `${code}That is it.`, spoken: 'That is it.' },
    ]);
  });
});

describe('figures that a cut has parted from their words', () => {
  const eager = { ...ENGLISH, startsMidClause: true };

  it('are said as if it had not', () => {
    expect(said('Your order number is 48213, as I see.', eager)).toEqual([
      'Your order number',
      'is four eight two one three, as I see.',
    ]);
    expect(said('Your appointment is on May 5 at 3:30 pm.', eager)).toEqual([
      'Your appointment is on May fifth at three thirty PM.',
    ]);
  });
});

describe('any way of cutting the same text', () => {
  it('gives the same speech and the same relation to what was written', () => {
    fc.assert(
      fc.property(
        anyText,
        fc.array(fc.nat(), { maxLength: 30 }),
        fc.boolean(),
        fc.constantFrom('en-US', 'de-DE', 'zh-CN', 'th-TH'),
        (text, cuts, startsMidClause, language) => {
          const manner = { language, writesOut: true, startsMidClause };
          const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
          const deltas = [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length));
          expect(deltas.join('')).toBe(text);
          expect(speak(deltas, manner)).toEqual(speak([text], manner));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('says no markup, no emoji and no address', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const spoken of said(text, ENGLISH)) {
          expect(spoken).not.toMatch(/\*\*|```|https?:|<\/?(?:think|tool_call)>|👍|👨/);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('relates every word to where it stands, in order, up to the end', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { written, spoken, segments } of speak([text])) {
          const ends = segments.map(({ writtenEnd }) => writtenEnd);
          const visible = [...spoken].filter((char) => !/\s/.test(char)).length;
          expect(ends).toEqual([...ends].sort((a, b) => a - b));
          expect(segments.at(-1)).toEqual({ writtenEnd: written.length, spokenEnd: visible });
        }
      }),
      { numRuns: 300 },
    );
  });
});
