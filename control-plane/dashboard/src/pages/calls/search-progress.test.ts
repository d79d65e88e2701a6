import { describe, expect, it } from 'vitest';
import { searchProgress } from './search-progress.js';

const page = (looked_through: number, has_more: boolean, unreadable = 0) => ({
  search: { looked_through, unreadable },
  has_more,
});

describe('how far a search in transcripts got', () => {
  it('is said of all pages together, and of how many calls there are', () => {
    const first = { ...page(300, true), total: 1204, total_is_capped: false };
    expect(searchProgress([first])).toBe('Looked through 300 of 1,204 calls.');
    expect(searchProgress([first, page(40, true)])).toBe('Looked through 340 of 1,204 calls.');
    expect(searchProgress([{ ...first, total: 10_000, total_is_capped: true }])).toBe(
      'Looked through 300 of more than 10,000 calls.',
    );
    expect(searchProgress([first, page(904, false)])).toBe('Looked through all 1,204 calls.');
  });

  it('names what could not be searched, and is nothing where nothing is', () => {
    expect(searchProgress([page(40, false, 2)])).toBe(
      'Looked through all 40 calls. The archive of 2 of them cannot be read now: what was said there is not searched.',
    );
    expect(searchProgress([{ has_more: true }])).toBeUndefined();
  });
});
