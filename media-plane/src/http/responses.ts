import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { ServiceError } from '@voice/shared/errors/service-error';

const STATUS_TEXT: Readonly<Record<number, string>> = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  409: 'Conflict',
  413: 'Payload Too Large',
  422: 'Unprocessable Entity',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** Bodies between the planes: a call plan with long prompts and many tools, in bytes. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

export interface Answer {
  readonly status: number;
  /** Sent as JSON; a string is sent as plain text; undefined: no body. */
  readonly body?: unknown;
}

/** What a handler may read after its first await: uWebSockets.js frees the request when the handler returns. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path with query, as sent. */
  readonly path: string;
  readonly authorization: string;
  readonly parameters: readonly string[];
  readonly body: Buffer;
}

/** Adapts a plain async handler to uWebSockets.js: reads the body, answers once, survives an aborted client. */
export function handle(
  parameterCount: number,
  handler: (request: ReceivedRequest) => Answer | Promise<Answer>,
  onError: (error: unknown) => void,
): (response: HttpResponse, request: HttpRequest) => void {
  return (response, request) => {
    let aborted = false;
    const query = request.getQuery();
    const head = {
      method: request.getMethod().toUpperCase(),
      path: query ? `${request.getUrl()}?${query}` : request.getUrl(),
      authorization: request.getHeader('authorization'),
      parameters: Array.from({ length: parameterCount }, (_, index) => request.getParameter(index) ?? ''),
    };
    response.onAborted(() => {
      aborted = true;
    });
    const answer = ({ status, body }: Answer) => {
      if (aborted) return;
      response.cork(() => {
        response.writeStatus(`${status} ${STATUS_TEXT[status] ?? ''}`);
        if (body === undefined) {
          response.endWithoutBody();
          return;
        }
        const text = typeof body === 'string';
        response.writeHeader('content-type', text ? 'text/plain; charset=utf-8' : 'application/json');
        response.end(text ? (body as string) : JSON.stringify(body));
      });
    };
    const chunks: Buffer[] = [];
    let received = 0;
    let refused = false;
    response.onData((chunk, isLast) => {
      if (refused) return;
      received += chunk.byteLength;
      if (received > MAX_BODY_BYTES) {
        refused = true;
        answer({
          status: 413,
          body: errorBody('payload_too_large', `The body is over ${MAX_BODY_BYTES} bytes.`),
        });
        return;
      }
      // The chunk's memory is reused by uWebSockets.js after this call.
      chunks.push(Buffer.from(new Uint8Array(chunk.slice(0))));
      if (!isLast) return;
      void respond(handler, { ...head, body: Buffer.concat(chunks) }, onError).then(answer);
    });
  };
}

async function respond(
  handler: (request: ReceivedRequest) => Answer | Promise<Answer>,
  request: ReceivedRequest,
  onError: (error: unknown) => void,
): Promise<Answer> {
  try {
    return await handler(request);
  } catch (error) {
    if (error instanceof ServiceError) {
      return { status: error.status, body: { ...errorBody(error.code, error.message), ...error.fields } };
    }
    onError(error);
    return { status: 500, body: errorBody('internal_error', 'Something went wrong in the worker.') };
  }
}

function errorBody(code: string, detail: string): { detail: string; code: string } {
  return { detail, code };
}
