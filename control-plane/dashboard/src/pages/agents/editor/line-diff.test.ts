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

  it('shows texts of very many lines one after the other', () => {
    const long = 'line\n'.repeat(3000);
    const kinds = new Set(lineDiff(long, `${long}end`).map(({ kind }) => kind));
    expect(kinds).toEqual(new Set(['removed', 'added']));
  });
});
