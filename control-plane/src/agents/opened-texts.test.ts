import { describe, expect, it } from 'vitest';
import { OpenedTexts } from './opened-texts.js';

/** Texts of four characters each. */
function texts(characters: number) {
  const opened: string[] = [];
  const known = new OpenedTexts(
    (text) => {
      opened.push(text);
      return JSON.parse(text) as { readonly [name: string]: unknown };
    },
    { characters },
  );
  return { known, opened };
}
const nested = '{"tools":[{"name":"book"}]}';

describe('what a text says', () => {
  it('is found out once, and is the same for each who asks', () => {
    const { known, opened } = texts(100);
    expect(known.get(nested)).toBe(known.get(`${nested}`));
    expect(opened).toEqual([nested]);
  });

  it('cannot be changed by one who asked, for the others', () => {
    const { known } = texts(100);
    const { tools } = known.get(nested) as unknown as { tools: { name: string }[] };
    expect(() => tools.push({ name: 'cancel' })).toThrow(TypeError);
    expect(() => Object.assign(tools[0]!, { name: 'cancel' })).toThrow(TypeError);
    expect(known.get(nested)).toEqual({ tools: [{ name: 'book' }] });
  });

  it('is forgotten when there is no room for it, the longest known first', () => {
    const { known, opened } = texts(21);
    for (const text of ['{"a":1}', '{"b":1}', '{"c":1}', '{"d":1}']) known.get(text);
    known.get('{"b":1}');
    expect(opened).toHaveLength(4);
    known.get('{"a":1}');
    expect(opened).toEqual(['{"a":1}', '{"b":1}', '{"c":1}', '{"d":1}', '{"a":1}']);
    // That one took the room of the one that was the longest known by then.
    known.get('{"b":1}');
    expect(opened).toHaveLength(6);
  });

  it('is not kept at all where the text is longer than all of the room, which stays for the others', () => {
    const { known, opened } = texts(10);
    known.get('{"a":1}');
    expect(known.get(nested)).toEqual({ tools: [{ name: 'book' }] });
    known.get(nested);
    known.get('{"a":1}');
    expect(opened).toEqual(['{"a":1}', nested, nested]);
  });

  it('that says nothing that can be understood is asked for again', () => {
    const { known, opened } = texts(10);
    expect(() => known.get('{')).toThrow(SyntaxError);
    expect(() => known.get('{')).toThrow(SyntaxError);
    expect(opened).toHaveLength(2);
  });
});
