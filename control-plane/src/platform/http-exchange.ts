import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** For connection, request and whole answer together. */
  readonly timeoutMs: number;
}

export interface ExchangeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The whole answer did not come in time; whether the request was received is not known. */
class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/**
 * Sends a request and reads the whole answer as text. Past undici's streams and signals: where every call makes two
 * such requests, they cost more than the requests themselves. Rejects with what undici says of a connection, or with
 * `TimeoutError`.
 */
export function exchange(
  connections: Dispatcher,
  { method, url, headers, body, timeoutMs }: ExchangeRequest,
): Promise<ExchangeAnswer> {
  return new Promise((resolve, reject) => {
    const { origin, pathname, search } = new URL(url);
    let sent: Dispatcher.DispatchController | undefined;
    let late: TimeoutError | undefined;
    const timer = setTimeout(() => {
      late = new TimeoutError(`no answer in ${timeoutMs} ms`);
      sent?.abort(late);
      reject(late);
    }, timeoutMs);
    let status = 0;
    let answered: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    connections.dispatch(
      { origin, path: pathname + search, method, headers, body },
      {
        onRequestStart(controller) {
          sent = controller;
          if (late) controller.abort(late);
        },
        onResponseStart(_controller, statusCode, given) {
          status = statusCode;
          answered = given;
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          clearTimeout(timer);
          resolve({ status, headers: answered, text: Buffer.concat(chunks).toString('utf8') });
        },
        onResponseError(_controller, error) {
          clearTimeout(timer);
          reject(error);
        },
      },
    );
  });
}
