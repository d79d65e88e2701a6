import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineDiff } from './line-diff.js';

describe('lineDiff', () => {
  it('keeps the lines that both have, and shows what is between them', () => {
    expect(lineDiff('a\nb\nc', 'a\nx\nc\nd')).toEqual([
      { kind: 'kept', text: 'a' },
      { kind: 'removed', text: 'b' },
      { kind: 'added', text: 'x' },
      { kind: 'kept', text: 'c' },
      { kind: 'added', text: 'd' },
    ]);
  });

  it('holds both texts whole', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1 })
      .map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = lineDiff(before, after);
        const without = (kind: string) =>
          lines.flatMap((line) => (line.kind === kind ? [] : [line.text])).join('\n');
        expect([without('added'), without('removed')]).toEqual([before, after]);
      }),
    );
  });

  it('finds the one line that differs in a long text', () => {
    const long = 'line\n'.repeat(3000);
    const changed = lineDiff(long, `${long}end`).filter(({ kind }) => kind !== 'kept');
    expect(changed).toEqual([
      { kind: 'removed', text: '' },
      { kind: 'added', text: 'end' },
    ]);
  });

  it('shows texts that differ in very many lines one after the other', () => {
    const lines = (word: string) => Array.from({ length: 1500 }, (_, n) => `${word} ${n}`).join('\n');
    const kinds = lineDiff(lines('before'), lines('after')).map(({ kind }) => kind);
    expect(kinds).toEqual([...Array(1500).fill('removed'), ...Array(1500).fill('added')]);
  });
});
