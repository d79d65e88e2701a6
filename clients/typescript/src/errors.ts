/** One field of a request that does not fit. */
export interface FieldError {
  /** Where it is in the body, the query or the path, as `calling_hours.days.0`. */
  readonly path: string;
  readonly message: string;
}

/** What every error of this client is. */
export class VoiceError extends Error {
  override readonly name: string = 'VoiceError';
}

/** The service could not be reached, or the connection broke before the answer was whole. */
export class ConnectionFailedError extends VoiceError {
  override readonly name = 'ConnectionFailedError';
}

/** The answer did not come in time. */
export class RequestTimeoutError extends VoiceError {
  override readonly name = 'RequestTimeoutError';
}

/** A webhook that was not signed with the secret, or not lately. */
export class SignatureError extends VoiceError {
  override readonly name = 'SignatureError';
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId: string | undefined;
  readonly fields: readonly FieldError[];
  readonly retryAfterMs: number | undefined;
  readonly body: unknown;
}

/** The service answered with an error. */
export class ApiError extends VoiceError {
  override readonly name: string = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  /** What went wrong, for programs: stable, snake_case. */
  readonly code: string;
  /** Quote it when you ask for help. */
  readonly requestId: string | undefined;
  /** The fields that do not fit, where the request was not valid. */
  readonly fields: readonly FieldError[];
  /** How long to wait before the next try (ms), where the service says so. */
  readonly retryAfterMs: number | undefined;
  /** The whole answer, for what an error carries besides (`check_id`, `reasons`, …). */
  readonly body: unknown;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.status = refusal.status;
    this.code = refusal.code;
    this.requestId = refusal.requestId;
    this.fields = refusal.fields;
    this.retryAfterMs = refusal.retryAfterMs;
    this.body = refusal.body;
  }
}

/** 400, 413, 415, 422: the request has to change. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError';
}

/** 401: no key, or one that does not count. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}

/** 402: no credit, no payment method, or the daily cap is reached. */
export class PaymentRequiredError extends ApiError {
  override readonly name = 'PaymentRequiredError';
}

/** 403: the compliance gate, the mode or a right is against it. */
export class PermissionDeniedError extends ApiError {
  override readonly name = 'PermissionDeniedError';
}

/** 404: there is none of that id in this tenant and mode. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}

/** 409: the state of what it is about is against it. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
}

/** 429: too many requests, also after the tries that the client makes. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
}

/** 5xx: the service failed. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError';
}

const BY_STATUS: Readonly<Record<number, new (refusal: Refusal) => ApiError>> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  402: PaymentRequiredError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  422: InvalidRequestError,
  429: RateLimitError,
};

/**
 * Returns the error that an answer stands for. Answers that are none of the API's (of a proxy between) become errors
 * with the code `unknown`.
 */
export function apiErrorOf(status: number, headers: Headers, text: string): ApiError {
  const body = parsed(text);
  const fields = fieldsOf(body);
  const detail = field(body, 'detail');
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  const Kind = BY_STATUS[status] ?? (status >= 500 ? ServerError : ApiError);
  return new Kind({
    status,
    code: asText(field(body, 'code')) ?? (fields.length > 0 ? 'validation_error' : 'unknown'),
    message:
      asText(detail) ??
      (fields.length > 0
        ? fields.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')
        : `The service answered ${status}.`),
    requestId: asText(field(body, 'request_id')) ?? headers.get('x-request-id') ?? undefined,
    fields,
    retryAfterMs: Number.isFinite(retryAfter) ? Math.max(0, retryAfter) * 1000 : undefined,
    body,
  });
}

/** Reads what the service sent. Throws a `ConnectionFailedError` where something between has changed it. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConnectionFailedError('What came is no JSON: something between has changed it.', {
      cause: error,
    });
  }
}

function fieldsOf(body: unknown): FieldError[] {
  const detail = field(body, 'detail');
  if (!Array.isArray(detail)) return [];
  return detail.map((entry: unknown) => {
    const loc = field(entry, 'loc');
    const [, ...path] = Array.isArray(loc) ? loc.map(String) : [];
    return { path: path.join('.'), message: asText(field(entry, 'msg')) ?? 'does not fit' };
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
