import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import type {
  ChatCompletionChunk,
  ChatCompletionCreateParamsStreaming,
} from 'openai/resources/chat/completions';
import type { Dispatcher } from 'undici';
import { LONGEST_ANSWER_BYTES, refusalText } from '../answer-limits.js';
import { ServerSentEvents } from './server-sent-events.js';

/** Longest wait for the response's head, in ms; tighter limits are the pipeline's. */
const HEAD_TIMEOUT_MS = 30_000;
/** The same request elsewhere (RFC 9110, 15.4.8 and 15.4.9). */
const MOVED: ReadonlySet<number> = new Set([307, 308]);
const MAX_MOVES = 3;

export interface ChatRequest {
  /** Without `/chat/completions`. */
  readonly baseUrl: string;
  /** Undefined: the server wants none. */
  readonly apiKey: string | undefined;
  readonly body: ChatCompletionCreateParamsStreaming;
  readonly dispatcher: Dispatcher;
  /** Whether the server may send the request on to another address. */
  readonly followsMoves: boolean;
}

/**
 * Streams a chat completion: the chunks that came together, together. A token costs a fraction of what it does through
 * the vendor's SDK, fetch and web streams; the errors are the SDK's.
 * @throws APIError for what the server refuses, also in mid-answer
 * @throws APIConnectionError when it cannot be reached, APIConnectionTimeoutError when it does not answer
 * @throws TypeError when the answer breaks off, SyntaxError when it is not readable
 */
export async function* streamChat(
  request: ChatRequest,
  signal: AbortSignal,
): AsyncGenerator<readonly ChatCompletionChunk[]> {
  const { body, headers, statusCode } = await ask(request, signal);
  if (statusCode < 200 || statusCode > 299) throw await refusal(statusCode, headers, body);
  const events = new ServerSentEvents();
  const parts: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  let isDone = false;
  let bytes = 0;
  try {
    for (;;) {
      const part = await parts.next().catch((cause: unknown) => {
        throw new TypeError('terminated', { cause });
      });
      // Only then is the connection free for the next request.
      if (part.done) return;
      bytes += part.value.length;
      if (bytes > LONGEST_ANSWER_BYTES) throw new SyntaxError('The answer has no end');
      const chunks: ChatCompletionChunk[] = [];
      let failure: unknown;
      try {
        for (const data of events.push(part.value)) {
          isDone ||= data.startsWith('[DONE]');
          if (!isDone) chunks.push(chunkOf(data, headers));
        }
      } catch (error) {
        failure = error;
      }
      if (chunks.length > 0) yield chunks;
      // What came before it was said.
      if (failure !== undefined) throw failure;
    }
  } finally {
    body.destroy();
  }
}

async function ask(request: ChatRequest, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  const { baseUrl, apiKey, dispatcher, followsMoves } = request;
  const body = JSON.stringify(request.body);
  let url = new URL(`${baseUrl.replace(/\/$/, '')}/chat/completions`);
  for (let moves = 0; ; moves++) {
    const response = await dispatcher
      .request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'POST',
        headers: {
          accept: 'text/event-stream',
          'content-type': 'application/json',
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body,
        signal,
        headersTimeout: HEAD_TIMEOUT_MS,
      })
      .catch((cause: unknown) => {
        throw unconnected(cause);
      });
    const next = followsMoves && moves < MAX_MOVES ? movedTo(response, url) : undefined;
    if (!next) return response;
    await response.body.dump();
    url = next;
  }
}

/** Returns where a response sends the request on to; undefined where it does not, or to another server: the key is not its. */
function movedTo({ statusCode, headers }: Dispatcher.ResponseData, from: URL): URL | undefined {
  const { location } = headers;
  if (!MOVED.has(statusCode) || typeof location !== 'string') return undefined;
  const to = URL.parse(location, from.href);
  return to?.origin === from.origin ? to : undefined;
}

function unconnected(thrown: unknown): APIConnectionError {
  const cause = thrown instanceof Error ? thrown : new Error(String(thrown));
  if (/timed? ?out/i.test(String(cause))) {
    return Object.assign(new APIConnectionTimeoutError(), { cause });
  }
  return new APIConnectionError({ cause });
}

async function refusal(
  status: number,
  given: Dispatcher.ResponseData['headers'],
  body: Dispatcher.ResponseData['body'],
): Promise<APIError> {
  const text = await refusalText(body);
  return APIError.generate(status, jsonOf(text), text.slice(0, 1000), headersOf(given));
}

function chunkOf(data: string, headers: Dispatcher.ResponseData['headers']): ChatCompletionChunk {
  const chunk = JSON.parse(data) as ChatCompletionChunk & { readonly error?: object };
  if (chunk.error) throw new APIError(undefined, chunk.error, undefined, headersOf(headers));
  // Some compatible servers send the usage alone, without the list.
  return chunk.choices ? chunk : { ...chunk, choices: [] };
}

function jsonOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function headersOf(given: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  return headers;
}
