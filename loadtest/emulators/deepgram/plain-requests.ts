import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type PlainAnswer, requestUrl } from '../serving/http-server.js';

/** Voices, as the vendor describes them: a model is a voice in one language. */
const VOICES = [
  ['thalia', 'aura-2-thalia-en', ['en', 'en-US'], 'American', 'feminine'],
  ['apollo', 'aura-2-apollo-en', ['en', 'en-US'], 'American', 'masculine'],
  ['viktoria', 'aura-2-viktoria-de', ['de', 'de-DE'], 'German', 'feminine'],
] as const;

/** Answers what is asked without a stream: whose key it is, and which models there are. */
export function answerPlain(
  request: IncomingMessage,
  isAuthorized: (request: IncomingMessage) => boolean,
): PlainAnswer | undefined {
  const { pathname, searchParams } = requestUrl(request);
  if (!['/v1/auth/token', '/v1/models'].includes(pathname) || request.method !== 'GET') return undefined;
  if (!isAuthorized(request)) {
    const body = { err_code: 'INVALID_AUTH', err_msg: 'Invalid credentials.', request_id: randomUUID() };
    return { status: 401, body };
  }
  const wrong = [...searchParams].find(
    ([name, value]) =>
      pathname !== '/v1/models' || name !== 'include_outdated' || !['true', 'false'].includes(value),
  );
  if (wrong) {
    const err_msg = `Query parameter ${wrong[0]} is not valid.`;
    return { status: 400, body: { err_code: 'INVALID_QUERY_PARAMETER', err_msg, request_id: randomUUID() } };
  }
  if (pathname === '/v1/models') return { status: 200, body: { stt: [], tts: VOICES.map(described) } };
  return { status: 200, body: { api_key_id: '0f0e0d0c-0b0a-4908-8706-050403020100', scopes: ['member'] } };
}

function described([name, canonical_name, languages, accent, gender]: (typeof VOICES)[number]) {
  return {
    name,
    canonical_name,
    architecture: 'aura-2',
    languages,
    version: '2025-04-07.0',
    uuid: randomUUID(),
    metadata: {
      accent,
      age: 'Adult',
      tags: [gender, 'clear'],
      sample: `https://static.deepgram.com/examples/${canonical_name}.wav`,
    },
  };
}
