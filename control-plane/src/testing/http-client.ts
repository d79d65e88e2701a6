import { Agent, type IncomingMessage, request } from 'node:http';

/** What a test sends over HTTP. */
interface HttpRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** What came back, whole. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Idle connections are kept, and end no later than the server says that it keeps them. */
const agent = new Agent({ keepAlive: true });

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  return headers;
}

/**
 * Sends a request and reads its whole answer. Tests send some ten thousand of them, and `fetch`, with its streams,
 * takes five times as much of the processor for each. It follows no redirect and unpacks nothing.
 */
export function sendRequest(url: string, { method, headers, body }: HttpRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    // Said by itself: of a DELETE, which seldom has a body, Node would leave it out.
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = { method, agent, headers: { accept: '*/*', ...length, ...headers } };
    let isAnswered = false;
    const sent = request(url, options, (response) => {
      isAnswered = true;
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const text = new TextDecoder().decode(Buffer.concat(chunks));
        resolve({ status: response.statusCode ?? 0, headers: headersOf(response), text });
      });
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // Of what is still being sent when the answer is there; the answer has errors of its own.
      if (isAnswered) return;
      // The server ended an idle connection at this very moment: it has read nothing.
      if (sent.reusedSocket && error.code === 'ECONNRESET') {
        resolve(sendRequest(url, { method, headers, body }));
      } else reject(error);
    });
    sent.end(body);
  });
}
