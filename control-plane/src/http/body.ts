import { ServiceError } from '@voice/shared/errors/service-error';
import express, { type Request, type Response } from 'express';
import { apiError } from './error-codes.js';
import type { BodyType } from './route.js';

export const DEFAULT_BODY_LIMIT_BYTES = 1024 * 1024;

const JSON_TYPE = /^application\/(?:json|[\w.+-]+\+json)$/i;
const FORM_TYPE = /^application\/x-www-form-urlencoded$/i;

/** What Express's reader says: `type` for what it knows, a 4xx `status` also for what zlib found. */
function readerComplaint(error: unknown): { type: string; status: number } | null {
  if (typeof error !== 'object' || error === null || !('status' in error)) return null;
  const type = 'type' in error && typeof error.type === 'string' ? error.type : '';
  return typeof error.status === 'number' ? { type, status: error.status } : null;
}

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

/** Reads the whole body, unpacked if it came compressed; 413 over the limit. */
export function readBody(request: Request, response: Response, limitBytes: number): Promise<Buffer> {
  const read = express.raw({ type: () => true, limit: limitBytes, inflate: true });
  return new Promise((resolve, reject) => {
    read(request, response, (error?: unknown) => {
      if (error) reject(refusal(error, limitBytes));
      else resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
    });
  });
}

function charsetIsUtf8(contentType: string): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType)?.[1]?.toLowerCase();
  return charset === undefined || charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii';
}

/** Deeper than any real request, and shallow enough for every recursive walk over a body. */
const DEEPEST_NESTING = 100;

/** How deep objects and arrays are nested in valid JSON; brackets within strings do not count. */
function nestingDepth(json: Buffer): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < json.length; i++) {
    const char = String.fromCharCode(json[i]!);
    if (inString) {
      if (char === '\\') i++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '[' || char === '{') deepest = Math.max(deepest, ++depth);
    else if (char === ']' || char === '}') depth--;
  }
  return deepest;
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

function parseJson(raw: Buffer, texts: 'whole' | 'any'): unknown {
  let value: unknown;
  try {
    const json = new TextDecoder('utf-8', { fatal: true }).decode(raw);
    value =
      texts === 'whole' && SURROGATE_ESCAPE.test(json)
        ? JSON.parse(json, (name, member: unknown) => {
            requireText(name);
            requireText(member);
            return member;
          })
        : JSON.parse(json);
  } catch (error) {
    throw error instanceof ServiceError ? error : apiError('malformed_json');
  }
  if (nestingDepth(raw) > DEEPEST_NESTING) {
    throw apiError('malformed_json', `The body is nested deeper than ${DEEPEST_NESTING} levels.`);
  }
  return value;
}

function parseForm(raw: Buffer): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(raw.toString('utf8')));
}

/**
 * The body's value before validation; undefined for an empty one. 415 for another media type.
 * `texts`: `any` takes halves of surrogate pairs as well (what a model said may have been cut anywhere).
 */
export function parseBody(
  raw: Buffer,
  contentType: string | undefined,
  bodyType: BodyType,
  texts: 'whole' | 'any' = 'whole',
): unknown {
  if (raw.length === 0 || bodyType === 'stream') return undefined;
  const declared = contentType ?? '';
  const mediaType = declared.split(';')[0]!.trim();
  const expected = bodyType === 'json' ? JSON_TYPE : FORM_TYPE;
  if (!expected.test(mediaType) || !charsetIsUtf8(declared)) {
    const name = bodyType === 'json' ? 'application/json' : 'application/x-www-form-urlencoded';
    throw apiError('unsupported_media_type', `Send the body as ${name} in UTF-8.`);
  }
  return bodyType === 'json' ? parseJson(raw, texts) : parseForm(raw);
}
