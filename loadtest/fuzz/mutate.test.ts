import { describe, expect, it } from 'vitest';
import { randomOf } from '../system/seeded-random.js';
import { mutateBytes, mutateJson, mutateLines } from './mutate.js';
import { readOptions } from './options.js';
import { TARGETS } from './targets.js';
import { pieces } from './texts.js';

const MESSAGE = '{"event":"media","media":{"chunk":"2","payload":"abc"},"list":[1,2]}';

function many<T>(make: (random: () => number) => T, seed = 1): T[] {
  const random = randomOf(seed);
  return Array.from({ length: 500 }, () => make(random));
}

describe('a mutation', () => {
  it('is the same for the same seed, and another for another', () => {
    const made = (seed: number) => many((random) => mutateJson(random, MESSAGE), seed);
    expect(made(3)).toEqual(made(3));
    expect(made(3)).not.toEqual(made(4));
  });

  it('leaves most of a message what it was, and most of it JSON', () => {
    const isJson = (text: string) => {
      try {
        JSON.parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const made = many((random) => mutateJson(random, MESSAGE));
    expect(made.filter(isJson).length).toBeGreaterThan(400);
    expect(made.filter((text) => text.includes('media')).length).toBeGreaterThan(350);
    expect(made.filter((text) => text === MESSAGE).length).toBeLessThan(10);
  });

  it('puts names of prototypes into messages as keys of their own', () => {
    expect(many((random) => mutateJson(random, MESSAGE)).some((text) => text.includes('"__proto__":'))).toBe(
      true,
    );
  });

  it('repeats, drops and changes lines', () => {
    const made = many((random) => mutateLines(random, 'a b\nc d\ne f', '\n').split('\n').length);
    expect(new Set(made)).toContain(2);
    expect(Math.max(...made)).toBeGreaterThan(10);
  });

  it('changes bytes without touching the original', () => {
    const original = Buffer.from('0123456789abcdef');
    const made = many((random) => mutateBytes(random, original));
    expect(original.toString()).toBe('0123456789abcdef');
    expect(made.some((bytes) => bytes.length < 16)).toBe(true);
    expect(made.some((bytes) => bytes.length > 16)).toBe(true);
  });

  it('is cut into pieces that are the whole', () => {
    const bytes = Buffer.from('0123456789');
    for (const cut of many((random) => pieces(random, bytes))) expect(Buffer.concat(cut)).toEqual(bytes);
  });
});

describe('the command line of the fuzzer', () => {
  it('takes all targets unless some are named, and refuses others', () => {
    expect(readOptions([])).toMatchObject({ inputs: 100_000, seed: 1, targets: Object.keys(TARGETS) });
    expect(readOptions(['--targets', 'sdp,csv', '--inputs', '5'])).toMatchObject({
      targets: ['sdp', 'csv'],
      inputs: 5,
    });
    expect(() => readOptions(['--targets', 'pdf'])).toThrow("got 'pdf'");
  });
});
