import { fetchText, type TextAnswer } from '@voice/shared/abort/fetch-text';
import type { CarrierAccount } from '@voice/shared/catalogue/carriers';
import { z } from 'zod';
import { CarrierFailure, type CarrierFailureKind } from '../port.js';

export type TelnyxAccount = CarrierAccount<'telnyx'>;

const TELNYX_API = 'https://api.telnyx.com';

/** Errors of a socket that was never connected: the request cannot have reached the carrier. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);
/**
 * Telnyx's error codes for a number that it will not ring or sell (developers.telnyx.com, "API errors"):
 * invalid destination, not whitelisted, number unavailable. 90018 is "the call has already ended".
 */
const REJECTED = new Set(['10002', '10016', '85000', '85001', '85006', 'D11', 'D13', 'D17']);
const CALL_HAS_ENDED = new Set(['90018', '90053']);

const errorBody = z.object({ errors: z.array(z.object({ code: z.coerce.string() })).min(1) });

/** Telnyx's REST API v2 by `fetch`: bearer key, JSON, errors as `{errors: [{code, title, detail}]}`. */
export class TelnyxRestClient {
  readonly #origin: string;
  readonly #apiKey: string;
  readonly #timeoutMs: number;

  constructor(account: TelnyxAccount, timeoutMs: number) {
    this.#origin = (account.apiUrl ?? TELNYX_API).replace(/\/+$/, '');
    this.#apiKey = account.apiKey;
    this.#timeoutMs = timeoutMs;
  }

  /** Returns the `data` of the answer, read by the schema. Throws a `CarrierFailure`. */
  async request<T>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    schema: z.ZodType<T>,
    body?: object,
    signal?: AbortSignal,
  ): Promise<T> {
    const init: RequestInit = {
      method,
      headers: {
        authorization: `Bearer ${this.#apiKey}`,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      redirect: 'error',
    };
    const ends = { signals: [signal], timeoutMs: this.#timeoutMs };
    let response: TextAnswer;
    try {
      response = await fetchText(`${this.#origin}/v2${path}`, init, ends);
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      const code =
        typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : undefined;
      const kind = code !== undefined && NEVER_CONNECTED.has(code) ? 'not_dialed' : 'unknown';
      throw new CarrierFailure(kind, 'carrier_unreachable', 'The carrier could not be reached.', error);
    }
    const { status, ok, text } = response;
    if (!ok) throw telnyxFailure(status, text);
    const parsed = z.object({ data: schema }).safeParse(text === '' ? { data: null } : parse(text));
    if (!parsed.success) {
      throw new CarrierFailure(
        'unknown',
        'carrier_answer',
        'The carrier’s answer has another shape than it documents.',
        parsed.error,
      );
    }
    return parsed.data.data;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns what an error answer means for the call. */
export function telnyxFailure(status: number, text: string): CarrierFailure {
  const parsed = errorBody.safeParse(parse(text));
  const codes = parsed.success ? parsed.data.errors.map(({ code }) => code) : [];
  const rejected = codes.some((code) => REJECTED.has(code));
  const kind: CarrierFailureKind = rejected
    ? 'rejected'
    : status === 429 || status === 503
      ? 'not_dialed'
      : status >= 500
        ? 'unknown'
        : 'failed';
  const name = codes[0] === undefined ? `http_${status}` : `telnyx_${codes[0]}`;
  return new CarrierFailure(kind, name, 'The carrier refused the request.', { status, text });
}

/** Returns whether a command came too late: the call is over, or not known any more. */
export function hasEnded(error: unknown): boolean {
  if (!(error instanceof CarrierFailure)) return false;
  return CALL_HAS_ENDED.has(error.code.replace('telnyx_', '')) || statusOf(error) === 404;
}

export function isNotFound(error: unknown): boolean {
  return error instanceof CarrierFailure && statusOf(error) === 404;
}

function statusOf({ cause }: CarrierFailure): unknown {
  return typeof cause === 'object' && cause !== null && 'status' in cause ? cause.status : undefined;
}
