import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ownServerParams } from './own-server.js';

const params = z.object(ownServerParams('the same API'));
const mistakes = (given: object) =>
  params.safeParse(given).error?.issues.map(({ path }) => path.join('.')) ?? [];

describe('the server that an agent names', () => {
  it('may have a path, a query and a key', () => {
    const given = { base_url: 'https://models.example.com/v1?region=eu', api_key: 'sk-1_a.b~c' };
    expect(params.parse(given)).toEqual(given);
  });

  it('has its key without the spaces that were copied with it', () => {
    expect(params.parse({ api_key: ' key\n' })).toEqual({ api_key: 'key' });
  });

  it.each(['a b', 'a\nb', 'key\u200b', 'k\u00e9y', '', ' '])('does not have the key %j', (key) => {
    expect(mistakes({ api_key: key })).toContain('api_key');
  });

  it.each(['https://models.example.com/v1#top', 'ftp://models.example.com', 'models'])(
    'is not at %s',
    (url) => {
      expect(mistakes({ base_url: url })).toContain('base_url');
    },
  );
});
