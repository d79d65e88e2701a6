import { expect, it } from 'vitest';
import { VoiceError } from './errors.js';
import { Pages } from './pages.js';

interface Page {
  readonly calls: readonly string[];
  readonly next_cursor: string | null;
}

it('ends a list that goes on where it was', async () => {
  const asked: unknown[] = [];
  const fetch = async ({ cursor }: Readonly<Record<string, unknown>>): Promise<Page> => {
    asked.push(cursor);
    if (asked.length > 5) throw new Error('without end');
    return { calls: ['a'], next_cursor: 'again' };
  };
  await expect(new Pages<string, Page>(fetch, 'calls', 'cursor').all()).rejects.toThrow(VoiceError);
  expect(asked).toEqual([undefined, 'again']);
});
