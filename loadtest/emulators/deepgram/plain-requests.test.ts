import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { answerPlain } from './plain-requests.js';

function ask(url: string, key = 'key', method = 'GET') {
  const request = { url, method, headers: { authorization: key } } as unknown as IncomingMessage;
  return answerPlain(request, ({ headers }) => headers.authorization === 'key');
}

describe("the Deepgram emulator's plain requests", () => {
  it('list the models', () => {
    expect(ask('/v1/models?include_outdated=true')).toMatchObject({
      status: 200,
      body: {
        tts: expect.arrayContaining([expect.objectContaining({ canonical_name: 'aura-2-thalia-en' })]),
      },
    });
  });

  it.each([
    ['a wrong key', '/v1/models', 'wrong', 401],
    ['what is no boolean', '/v1/models?include_outdated=maybe', 'key', 400],
    ['a parameter that does not exist', '/v1/models?page=2', 'key', 400],
    ['a parameter where there is none', '/v1/auth/token?include_outdated=true', 'key', 400],
  ])('refuse %s', (_case, url, key, status) => {
    expect(ask(url, key)).toMatchObject({ status });
  });

  it('have no other path or method', () => {
    expect([ask('/v2/models'), ask('/v1/models', 'key', 'POST')]).toEqual([undefined, undefined]);
  });
});
