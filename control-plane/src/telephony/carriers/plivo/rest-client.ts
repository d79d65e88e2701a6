import { fetchText, type TextAnswer } from '@voice/shared/abort/fetch-text';
import type { CarrierAccount } from '@voice/shared/catalogue/carriers';
import { z } from 'zod';
import { CarrierFailure, type CarrierFailureKind } from '../port.js';

export type PlivoAccount = CarrierAccount<'plivo'>;

const PLIVO_API = 'https://api.plivo.com';

/** Errors of a socket that was never connected: the request cannot have reached the carrier. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

export interface PlivoRequest<T> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the account, such as `/Call/`. */
  readonly path: string;
  readonly answer: z.ZodType<T>;
  readonly body?: object;
  readonly signal: AbortSignal;
}

/** Plivo's REST API by `fetch`: HTTP Basic, JSON, errors as `{error}`. */
export class PlivoRestClient {
  readonly #base: string;
  readonly #authorization: string;
  readonly #timeoutMs: number;

  constructor({ authId, authToken, apiUrl = PLIVO_API }: PlivoAccount, timeoutMs: number) {
    this.#base = `${apiUrl.replace(/\/+$/, '')}/v1/Account/${encodeURIComponent(authId)}`;
    this.#authorization = `Basic ${Buffer.from(`${authId}:${authToken}`).toString('base64')}`;
    this.#timeoutMs = timeoutMs;
  }

  /** Returns the answer, read by the schema. Throws a `CarrierFailure`. */
  async request<T>({ method, path, answer, body, signal }: PlivoRequest<T>): Promise<T> {
    const init: RequestInit = {
      method,
      headers: {
        authorization: this.#authorization,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      redirect: 'error',
    };
    let response: TextAnswer;
    try {
      response = await fetchText(this.#base + path, init, {
        signals: [signal],
        timeoutMs: this.#timeoutMs,
      });
    } catch (error) {
      const kind = NEVER_CONNECTED.has(codeOf(error)) ? 'not_dialed' : 'unknown';
      throw new CarrierFailure(kind, 'carrier_unreachable', 'The carrier could not be reached.', error);
    }
    const { status, ok, text } = response;
    if (!ok) throw plivoFailure(status, text);
    const parsed = answer.safeParse(text === '' ? null : parse(text));
    if (parsed.success) return parsed.data;
    throw new CarrierFailure(
      'unknown',
      'carrier_answer',
      'The carrier’s answer has another shape than it documents.',
      parsed.error,
    );
  }
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const errorBody = z.object({ error: z.string() });
/** What Plivo says of a number that it will not ring or sell. */
const REJECTED = /not a valid phone|invalid.*(number|destination)|barred|not available/i;

/** Returns what an error answer means for the call. Plivo has no error codes: the status is the code. */
export function plivoFailure(status: number, text: string): CarrierFailure {
  const parsed = errorBody.safeParse(parse(text));
  const rejected = status === 400 && parsed.success && REJECTED.test(parsed.data.error);
  const kind: CarrierFailureKind = rejected
    ? 'rejected'
    : status === 429 || status === 503
      ? 'not_dialed'
      : status >= 500
        ? 'unknown'
        : 'failed';
  return new CarrierFailure(kind, `plivo_${status}`, 'The carrier refused the request.', { status, text });
}

export function isNotFound(error: unknown): boolean {
  if (!(error instanceof CarrierFailure)) return false;
  const { cause } = error;
  return typeof cause === 'object' && cause !== null && 'status' in cause && cause.status === 404;
}
