import { ServiceError } from '@voice/shared/errors/service-error';
import express, { type Request, type Response } from 'express';
import { apiError } from './error-codes.js';
import { jsonExcess } from './json-shape.js';
import type { BodyType } from './route.js';

export const DEFAULT_BODY_LIMIT_BYTES = 1024 * 1024;

const JSON_TYPE = /^application\/(?:json|[\w.+-]+\+json)$/i;
const FORM_TYPE = /^application\/x-www-form-urlencoded$/i;

/** Returns what Express's reader says: `type` for what it knows, a 4xx `status` also for what zlib found. */
function readerComplaint(error: unknown): { type: string; status: number } | null {
  if (typeof error !== 'object' || error === null || !('status' in error)) return null;
  const type = 'type' in error && typeof error.type === 'string' ? error.type : '';
  return typeof error.status === 'number' ? { type, status: error.status } : null;
}

/** As Express's reader complains. */
const TOO_LARGE = { type: 'entity.too.large', status: 413 } as const;

function refusal(error: unknown, limitBytes: number): unknown {
  const complaint = readerComplaint(error);
  if (!complaint || complaint.status >= 500) return error;
  switch (complaint.type) {
    case 'entity.too.large':
      return apiError('payload_too_large', `The body is over the limit of ${limitBytes} bytes.`);
    case 'encoding.unsupported':
      return apiError('unsupported_media_type', 'The content encoding is not supported.');
    default:
      return apiError('malformed_request', undefined, { cause: error });
  }
}

/** Reads the whole body, unpacked if it came compressed; 413 over the limit, after which no more is read. */
export function readBody(request: Request, response: Response, limitBytes: number): Promise<Buffer> {
  const read = express.raw({ type: () => true, limit: limitBytes, inflate: true });
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown) => reject(refusal(error, limitBytes));
    read(request, response, (error?: unknown) => {
      if (error) refuse(error);
      else resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
    });
    // Express's reader reads on to the end before it says that a body is too large.
    let left = limitBytes;
    const declared = Number(request.get('content-length') ?? 0);
    if (declared > limitBytes) refuse(TOO_LARGE);
    request.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left < 0) refuse(TOO_LARGE);
    });
  });
}

function charsetIsUtf8(contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1]?.toLowerCase();
  return charset === undefined || charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii';
}

/** Deeper than any real request, and shallow enough for every recursive walk over a body. */
const DEEPEST_NESTING = 100;
/** Members and items of a body: more than any real one has but for those routes that say so. */
const DEFAULT_BODY_VALUES = 10_000;
/** Fields of a form. */
const MOST_FORM_FIELDS = 1000;

/** What is asked of a body before it becomes a value. */
export interface BodyRules {
  readonly type: BodyType;
  /** `any` takes halves of surrogate pairs as well (what a model said may have been cut anywhere). Default `whole`. */
  readonly texts?: 'whole' | 'any';
  /** Members and items all together. Default `DEFAULT_BODY_VALUES`. */
  readonly mostValues?: number;
}

/** Escapes that can write half of a surrogate pair. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/** Whole pairs count as the one character that they are. */
const HALF_PAIR = /\p{Surrogate}/u;

/** Half of a surrogate pair is no text: no UTF-8 can carry it on, to the store, a model or a receiver. */
function requireText(value: unknown): void {
  if (typeof value === 'string' && HALF_PAIR.test(value)) {
    throw apiError('malformed_json', 'A text holds half of a surrogate pair.');
  }
}

function parseJson(raw: Buffer, texts: 'whole' | 'any', mostValues: number): unknown {
  const excess = jsonExcess(raw, { depth: DEEPEST_NESTING, values: mostValues });
  if (excess?.limit === 'depth') {
    throw apiError('malformed_json', `The body is nested deeper than ${DEEPEST_NESTING} levels.`);
  }
  if (excess) throw tooMany(`The body has more than ${mostValues} members and items.`);
  try {
    const json = new TextDecoder('utf-8', { fatal: true }).decode(raw);
    return texts === 'whole' && SURROGATE_ESCAPE.test(json)
      ? JSON.parse(json, (name, member: unknown) => {
          requireText(name);
          requireText(member);
          return member;
        })
      : JSON.parse(json);
  } catch (error) {
    throw error instanceof ServiceError ? error : apiError('malformed_json');
  }
}

function parseForm(raw: Buffer): Record<string, string> {
  const text = raw.toString('utf8');
  let fields = 1;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) {
    if (++fields > MOST_FORM_FIELDS) throw tooMany(`The form has more than ${MOST_FORM_FIELDS} fields.`);
  }
  return Object.fromEntries(new URLSearchParams(text));
}

function tooMany(message: string): ServiceError {
  return apiError('payload_too_large', message);
}

/** Returns the body's value before validation; undefined for an empty one. 415 for another media type. */
export function parseBody(
  raw: Buffer,
  contentType: string | undefined,
  { type, texts = 'whole', mostValues = DEFAULT_BODY_VALUES }: BodyRules,
): unknown {
  if (raw.length === 0 || type === 'stream') return undefined;
  const declared = contentType ?? '';
  const mediaType = declared.split(';')[0]!.trim();
  const expected = type === 'json' ? JSON_TYPE : FORM_TYPE;
  if (!expected.test(mediaType) || !charsetIsUtf8(declared)) {
    const name = type === 'json' ? 'application/json' : 'application/x-www-form-urlencoded';
    throw apiError('unsupported_media_type', `Send the body as ${name} in UTF-8.`);
  }
  return type === 'json' ? parseJson(raw, texts, mostValues) : parseForm(raw);
}
