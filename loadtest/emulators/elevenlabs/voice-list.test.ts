import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { answerVoices } from './voice-list.js';

function ask(url: string, key = 'key', method = 'GET') {
  const request = { url, method, headers: { 'xi-api-key': key } } as unknown as IncomingMessage;
  return answerVoices(request, { accepts: (given) => given === 'key', previews: 'http://here', more: 2 });
}

describe("the ElevenLabs emulator's list of voices", () => {
  it('goes on behind the last voice of a page', () => {
    expect(ask('/v2/voices?page_size=6&include_total_count=false')).toMatchObject({
      status: 200,
      body: { has_more: true, next_page_token: 'cloned0' },
    });
    expect(ask('/v2/voices?page_size=6&next_page_token=cloned0')).toMatchObject({
      body: { voices: [{ voice_id: 'cloned1' }], has_more: false, next_page_token: null },
    });
  });

  it.each([
    ['a wrong key', '/v2/voices', 'wrong', 401],
    ['a page that is too large', '/v2/voices?page_size=101', 'key', 422],
    ['what is no boolean', '/v2/voices?include_total_count=maybe', 'key', 422],
    ['a parameter in another spelling', '/v2/voices?pageSize=10', 'key', 422],
    ['a token of no page', '/v2/voices?next_page_token=nobody', 'key', 400],
  ])('refuses %s', (_case, url, key, status) => {
    expect(ask(url, key)).toMatchObject({ status });
  });

  it('has no other path or method', () => {
    expect([ask('/v1/voices'), ask('/v2/voices', 'key', 'POST')]).toEqual([undefined, undefined]);
  });
});
