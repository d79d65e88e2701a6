import { describe, expect, it } from 'vitest';
import { callsSearch } from './search.js';

describe('the filters in the address of the calls', () => {
  const agent = '0198f0c4-6d3e-7a51-9f0b-3c1d2e4f5a6b';

  it('are taken as they are', () => {
    const filters = { status: 'FAILED', direction: 'inbound', agent };
    expect(callsSearch.parse(filters)).toEqual(filters);
  });

  it('are left out where they say nothing that is known', () => {
    expect(callsSearch.parse({ status: 'GONE', direction: 1, agent: 'x', page: 7 })).toEqual({});
  });
});
