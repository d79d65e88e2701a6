import { ServiceError } from '@voice/shared/errors/service-error';

export type ProviderKind = 'stt' | 'llm' | 'tts' | 'realtime' | 'vad';

interface ProviderErrorOptions {
  readonly provider: string;
  readonly kind: ProviderKind;
  /**
   * `unauthorized`, `rate_limited`, `bad_request`, `timed_out`, `disconnected`, `unavailable`, `protocol_violation`.
   */
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  /** What the provider asked for (`Retry-After`), in seconds. */
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** Reports a provider's failure. `retryable` says whether the same request may succeed, here or at a fallback. */
export class ProviderError extends ServiceError {
  readonly provider: string;
  readonly kind: ProviderKind;

  constructor(options: ProviderErrorOptions) {
    super({
      code: `${options.kind}_${options.code}`,
      status: 502,
      message: options.message,
      retryable: options.retryable,
      cause: options.cause,
      ...(options.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: options.retryAfterSeconds }),
    });
    this.name = 'ProviderError';
    this.provider = options.provider;
    this.kind = options.kind;
  }
}

/** Creates the error of a stage that has tried all it could: to repeat the whole would be of no use. */
export function exhausted(error: ProviderError): ProviderError {
  const { provider, kind, code, message } = error;
  return new ProviderError({
    provider,
    kind,
    code: code.slice(`${kind}_`.length),
    message,
    retryable: false,
    cause: error,
  });
}
