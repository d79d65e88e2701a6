import { ProviderError } from '../../provider-error.js';
import { type ConnectionEnd, classifyStatus, connectionError } from '../../provider-socket.js';

export const PROVIDER = 'openai';

export function realtimeError(
  code: string,
  message: string,
  retryable: boolean,
  cause?: unknown,
): ProviderError {
  return new ProviderError({ provider: PROVIDER, kind: 'realtime', code, message, retryable, cause });
}

/** `error` of an event, and of a failed response. */
export interface ReportedError {
  readonly type?: string;
  readonly code?: string | null;
  readonly message?: string;
}

/** Maps an error that the service reports to a `ProviderError`. */
export function errorOfReport({ type = '', code, message = '' }: ReportedError): ProviderError {
  const name = code ?? type;
  const cause = new Error(`${name}: ${message}`);
  if (/api_key|authentication|permission|account_deactivated|unauthorized/.test(name)) {
    return realtimeError('unauthorized', 'openai refused the API key', false, cause);
  }
  if (/insufficient_quota|billing/.test(name)) {
    return realtimeError('rate_limited', 'the openai account has no quota left', false, cause);
  }
  if (/rate_limit/.test(name)) {
    return realtimeError('rate_limited', 'openai has no room for this request now', true, cause);
  }
  if (/session_expired/.test(name)) {
    return realtimeError('disconnected', "openai's session reached its longest duration", true, cause);
  }
  if (/server_error|internal|unavailable|overloaded/.test(name) || type === 'server_error') {
    return realtimeError('unavailable', 'openai failed', true, cause);
  }
  return realtimeError('bad_request', `openai refused the request (${name || 'no code'})`, false, cause);
}

/** Errors after which the service closes the connection, or the session cannot be used. */
export function isFatal({ code }: ReportedError): boolean {
  return (
    code !== undefined &&
    code !== null &&
    /^(session_expired|invalid_api_key|account_deactivated|model_not_found|missing_model|beta_api_shape_disabled|insufficient_quota)$/.test(
      code,
    )
  );
}

/**
 * Maps the end of a connection to an error. Beside HTTP statuses the service refuses with close codes of its own: 3000
 * and 4000 with `invalid_request_error.<code>` as the reason, as users of it report.
 */
export function errorOfEnd(end: ConnectionEnd): ProviderError {
  const reported = /^(\w+)\.(\w+)$/.exec(end.reason);
  if ((end.closeCode === 3000 || end.closeCode === 4000) && reported) {
    return errorOfReport({ type: reported[1], code: reported[2], message: end.reason });
  }
  if (end.closeCode === 4000) {
    return realtimeError('bad_request', 'openai refused the session', false, new Error(end.reason));
  }
  if (end.status === 429 && /insufficient_quota/.test(end.reason)) {
    return errorOfReport({ code: 'insufficient_quota' });
  }
  if (end.status !== undefined) {
    const { code, retryable } = classifyStatus(end.status);
    const cause = end.reason === '' ? undefined : new Error(end.reason);
    return realtimeError(code, `openai refused the connection (HTTP ${end.status})`, retryable, cause);
  }
  return connectionError('realtime', PROVIDER, end);
}
