import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChunkerOptions, SentenceChunker } from './chunker.js';

/** Feeds the text in pieces as a model does: a few characters at a time. */
function chunk(text: string, size = 3, options: ChunkerOptions = {}): string[] {
  const chunker = new SentenceChunker(options);
  const pieces: string[] = [];
  for (let i = 0; i < text.length; i += size) pieces.push(...chunker.push(text.slice(i, i + size)));
  const rest = chunker.end();
  return (rest === undefined ? pieces : [...pieces, rest]).map((piece) => piece.trim());
}

describe('the sentence chunker', () => {
  it('gives each sentence as soon as the next one begins', () => {
    const chunker = new SentenceChunker();
    expect(chunker.push('Your order has shipped.')).toEqual([]);
    expect(chunker.push(' It')).toEqual(['Your order has shipped. ']);
    expect(chunker.end()).toBe('It');
  });

  it('keeps a month that is cut short with its day', () => {
    expect(chunk('Your flight lands at 5 p.m. on Dec. 12th in Rome. Is that fine?')).toEqual([
      'Your flight lands at 5 p.m. on Dec. 12th in Rome.',
      'Is that fine?',
    ]);
  });

  it('keeps abbreviations, initials and decimals in one piece', () => {
    expect(chunk('Dr. Smith will see you at 3.30 p.m. on Friday. Is that fine with you?')).toEqual([
      'Dr. Smith will see you at 3.30 p.m. on Friday.',
      'Is that fine with you?',
    ]);
  });

  it('gives the first clause early, because the caller waits, but not later ones', () => {
    expect(
      chunk('Of course, I can help you with that, just a second. Then, as you said, we go on from there.'),
    ).toEqual([
      'Of course,',
      'I can help you with that,',
      'just a second.',
      'Then, as you said, we go on from there.',
    ]);
  });

  it('ends the first piece at a comma, however short that is, and none of figures', () => {
    expect(chunk('Yes, of course. I will look.')).toEqual(['Yes,', 'of course. I will look.']);
    expect(chunk('We have 3, 4 and 5 o’clock, if you like. Or later.')[0]).toBe(
      'We have 3, 4 and 5 o’clock,',
    );
  });

  it('ends the first piece after three words for a voice that goes on from there, not on one that leads on', () => {
    const options = { startsMidClause: true, binding: new Set(['the', 'to']) };
    expect(chunk('I can help you with that right away. And then we see.', 3, options)).toEqual([
      'I can help',
      'you with that right away.',
      'And then we see.',
    ]);
    expect(chunk('This is the dental practice of Doctor Miller.', 3, options)[0]).toBe('This is the dental');
    expect(chunk('It costs about 500 dollars a year.', 3, options)[0]).toBe('It costs about');
    expect(chunk('It is 500 dollars a year.', 3, options)[0]).toBe('It is 500 dollars');
    expect(chunk('I can help you with that right away.')).toEqual(['I can help you with that right away.']);
  });

  it('cuts Chinese and Japanese at their own marks', () => {
    expect(chunk('好的，我来帮您查一下明天下午的预约时间。请您稍等一下。', 1)).toEqual([
      '好的，',
      '我来帮您查一下明天下午的预约时间。',
      '请您稍等一下。',
    ]);
    expect(chunk('かしこまりました。明日の午後、空いているか確認いたします。', 2)).toEqual([
      'かしこまりました。',
      '明日の午後、空いているか確認いたします。',
    ]);
  });

  it('cuts Thai at spaces: after the first clause, a polite word, or a long stretch', () => {
    expect(chunk('ได้ค่ะ กรุณารอสักครู่ ฉันจะตรวจสอบให้นะคะ ขอบคุณค่ะ', 2)).toEqual([
      'ได้ค่ะ',
      'กรุณารอสักครู่ ฉันจะตรวจสอบให้นะคะ',
      'ขอบคุณค่ะ',
    ]);
  });

  it('takes the full stop of a number for an ordinal where the language writes it so', () => {
    const options = { ordinalStop: true };
    expect(chunk('Der Termin ist am 3. Mai um zehn. Passt das?', 3, options)).toEqual([
      'Der Termin ist am 3. Mai um zehn.',
      'Passt das?',
    ]);
  });

  it('keeps code and a tool call that is written as JSON in one piece', () => {
    expect(chunk('Look here please: ```\nfoo. bar.\n``` that was it.').length).toBe(2);
    expect(
      chunk('Just a second please. {"name": "look_up", "arguments": {"a": "b. c. d. e"}} Here it is.'),
    ).toEqual(['Just a second please.', '{"name": "look_up", "arguments": {"a": "b. c. d. e"}} Here it is.']);
  });

  it('joins a very short sentence with the next', () => {
    expect(chunk('Yes. We are open on Sundays.')).toEqual(['Yes. We are open on Sundays.']);
  });

  it('cuts text without any end at a space', () => {
    const pieces = chunk('word '.repeat(100));
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.every((piece) => piece.length <= 240 && !piece.includes('  '))).toBe(true);
  });

  it('says nothing for nothing', () => {
    expect(chunk('')).toEqual([]);
    expect(chunk('  \n ')).toEqual([]);
  });

  it('cuts a run of white space like any text without an end, and begins no piece with it', () => {
    const chunker = new SentenceChunker();
    const pieces = chunker.push(`${' '.repeat(500)}word${' '.repeat(500)}`);
    expect(pieces.map((piece) => [piece.trim(), piece.length])).toEqual([['word', 241]]);
    expect(chunker.push(`Yes.${'\n'.repeat(500)}`)).toEqual(['Yes.\n']);
    expect(chunker.end()).toBeUndefined();
  });

  it.each([' ', '\u00a0', '\t'])('cuts %j repeated in time linear in its length', (text) => {
    const pieces = chunk(`word${text.repeat(200_000 / text.length)}b`, 1000);
    expect([pieces[0]?.slice(0, 4), pieces.at(-1)?.at(-1)]).toEqual(['word', 'b']);
  });

  it('loses and invents no word', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), fc.integer({ min: 1, max: 40 }), (text, size) => {
        const words = (s: string) => s.split(/\s+/).join('');
        expect(words(chunk(text, size).join(' '))).toBe(words(text));
      }),
    );
  });
});
