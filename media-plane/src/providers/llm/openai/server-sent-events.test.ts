import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServerSentEvents } from './server-sent-events.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const read = (...pieces: (string | Uint8Array)[]) => {
  const events = new ServerSentEvents();
  return pieces.flatMap((piece) => events.push(typeof piece === 'string' ? bytes(piece) : piece));
};

describe('server-sent events', () => {
  it('are given when they are whole', () => {
    const events = new ServerSentEvents();
    expect(events.push(bytes('data: {"a":1}\n'))).toEqual([]);
    expect(events.push(bytes('\ndata: 2\n\ndata'))).toEqual(['{"a":1}', '2']);
    expect(events.push(bytes(':3\n\n'))).toEqual(['3']);
  });

  it('have their data alone, of several lines too, whatever the ends of lines', () => {
    expect(read(': hello\r\nevent: message\r\nid: 7\r\ndata: one\r\ndata: two\r\n\r\n')).toEqual([
      'one\ntwo',
    ]);
    expect(read('\n\nretry: 5\n\n')).toEqual([]);
  });

  it('are the same however their bytes are cut', () => {
    const text = 'data: {"text":"Größe 😀"}\r\n\r\n: keep\n\ndata: [DONE]\n\n';
    const all = bytes(text);
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(all.length), { maxLength: 12 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), all.length];
        const pieces = places.slice(1).map((end, n) => all.subarray(places[n], end));
        expect(read(...pieces)).toEqual(['{"text":"Größe 😀"}', '[DONE]']);
      }),
    );
  });

  it('are refused where a line has no end', () => {
    expect(() => read('x'.repeat(2_000_000))).toThrow(SyntaxError);
  });
});
