import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { requestUrl } from '../serving/http-server.js';

/** Answers what is asked without a stream: whose key it is. */
export function answerPlain(request: IncomingMessage, isAuthorized: (request: IncomingMessage) => boolean) {
  const { pathname } = requestUrl(request);
  if (pathname !== '/v1/auth/token' || request.method !== 'GET') return undefined;
  if (!isAuthorized(request)) {
    const body = { err_code: 'INVALID_AUTH', err_msg: 'Invalid credentials.', request_id: randomUUID() };
    return { status: 401, body };
  }
  return { status: 200, body: { api_key_id: '0f0e0d0c-0b0a-4908-8706-050403020100', scopes: ['member'] } };
}
