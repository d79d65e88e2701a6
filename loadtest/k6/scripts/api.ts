import http, { type RefinedResponse } from 'k6/http';
import { settings } from './settings.ts';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
export type Answer = RefinedResponse<'text'>;

/** Sends one request to the API; `name` stands for the path in k6's own metrics. */
export function request(method: Method, path: string, body?: unknown, name = path): Answer {
  return http.request(method, settings.apiUrl + path, body === undefined ? null : JSON.stringify(body), {
    headers: { authorization: `Bearer ${settings.key}`, 'content-type': 'application/json' },
    tags: { name },
    responseType: 'text',
    timeout: '20s',
  });
}

/** Reads an answer's JSON; undefined where it is none. */
export function read<T>(answer: Answer): T | undefined {
  try {
    return JSON.parse(answer.body) as T;
  } catch {
    return undefined;
  }
}
