/** What a failure is called on the wire. Codes are stable, snake_case and part of the API's contract. */
export interface ServiceErrorOptions {
  /** Stable snake_case code that clients may branch on. */
  readonly code: string;
  /** HTTP status to answer with. */
  readonly status: number;
  /** Text that may be shown to the outside; says what to do where it can. */
  readonly message: string;
  /** What really happened; logged, never shown. */
  readonly cause?: unknown;
  /** Further public fields of the error body, such as `check_id`. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Whether the same request may succeed later; adapters must say so. */
  readonly retryable?: boolean;
  /** Seconds to wait before the next try; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
}

/** Carries a code, a public text and an internal cause across module borders: the one error type that does. */
export class ServiceError extends Error {
  readonly code: string;
  readonly status: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;

  constructor(options: ServiceErrorOptions) {
    super(options.message, { cause: options.cause });
    this.name = 'ServiceError';
    this.code = options.code;
    this.status = options.status;
    this.fields = options.fields ?? {};
    this.retryable = options.retryable ?? false;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
