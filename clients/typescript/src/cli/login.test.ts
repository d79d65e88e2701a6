import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { asked } from './login.js';

describe('the question for a key', () => {
  it('takes a line, without the spaces around it', async () => {
    const input = new PassThrough();
    const answer = asked(input, new PassThrough());
    input.write('  sk_test_1 \n');
    expect(await answer).toBe('sk_test_1');
  });

  it('ends with nothing where the input ends', async () => {
    const input = new PassThrough();
    const answer = asked(input, new PassThrough());
    input.end();
    expect(await answer).toBe('');
  });
});
