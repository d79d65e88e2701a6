/** One wrong field of a request: where it is, and what is wrong with it. */
export interface FieldProblem {
  /** As `calling_hours.days.0`; without the part of the request that it is in. */
  readonly path: string;
  readonly message: string;
}

/** A refusal of the API, or no answer at all (status 0, code `unreachable`). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** What support and the log find the request by; null without an answer. */
  readonly requestId: string | null;
  readonly fields: readonly FieldProblem[];
  /** Seconds after which to try again; null where the answer does not say. */
  readonly retryAfter: number | null;

  constructor(options: {
    readonly status: number;
    readonly code: string;
    readonly message: string;
    readonly requestId?: string | null;
    readonly fields?: readonly FieldProblem[];
    readonly retryAfter?: number | null;
  }) {
    super(options.message);
    this.name = 'ApiError';
    this.status = options.status;
    this.code = options.code;
    this.requestId = options.requestId ?? null;
    this.fields = options.fields ?? [];
    this.retryAfter = options.retryAfter ?? null;
  }
}

/** Makes the error of an answer: `body` is its JSON, or undefined where it had none. */
export function apiErrorOf(status: number, body: unknown, header: (name: string) => string | null): ApiError {
  const record = isRecord(body) ? body : {};
  const fields = Array.isArray(record.detail) ? record.detail.map(fieldProblem) : [];
  const text = typeof record.detail === 'string' ? record.detail : fields.map(sentenceOf).join(' ');
  const code = typeof record.code === 'string' ? record.code : status === 422 ? 'invalid_fields' : 'unknown';
  const retryAfter = Number(header('retry-after') ?? Number.NaN);
  return new ApiError({
    status,
    code,
    // Browsers drop the cookie of a session that is over; the service speaks to programs then.
    message:
      code === 'missing_credentials' ? 'Your session is over.' : text || `The service answered ${status}.`,
    requestId: typeof record.request_id === 'string' ? record.request_id : header('x-request-id'),
    fields,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : null,
  });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function fieldProblem(item: unknown): FieldProblem {
  const { loc, msg } = isRecord(item) ? item : {};
  const [, ...path] = Array.isArray(loc) ? loc : [];
  return { path: path.join('.'), message: typeof msg === 'string' ? msg : 'is not valid' };
}

function sentenceOf({ path, message }: FieldProblem): string {
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  return path ? `${path}: ${sentence}` : sentence;
}

/** Says whether code of the dashboard could not be fetched: asking again gives a browser's kept failure. */
export const isOfImport = (error: unknown): boolean =>
  error instanceof TypeError && /dynamically imported module|importing a module/i.test(error.message);

/** What a person can do about an error; null where its own message says it. */
export function remedyOf(error: unknown): string | null {
  if (!(error instanceof ApiError)) return 'Reload the page. If it comes again, report it.';
  if (error.code === 'unreachable')
    return 'Check that the service runs and that you are online, then try again.';
  if (error.code === 'no_json')
    return 'A proxy, or a network that wants you to sign in, may stand between. Reload the page to see it.';
  if (error.status === 401)
    return 'Sign in in another tab, then try again here: what you entered stays as long as this page is open.';
  if (error.status === 429) return `Too many requests. Try again in ${error.retryAfter ?? 60} seconds.`;
  if (error.status === 403) return 'Sign in as somebody who may do this, or switch the mode.';
  if (error.status === 404) return 'It may have been deleted, or belong to the other mode (sandbox or live).';
  if (error.status >= 500) return 'This is a fault of the service. Try again in a moment.';
  return null;
}
