import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');

export interface LoadRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface LoadResult {
  /** Answers with the expected status. */
  readonly answers: number;
  readonly seconds: number;
  /** Of each answer, in ms. */
  readonly latencies: readonly number[];
}

export interface LoadOptions {
  readonly port: number;
  readonly connections: number;
  readonly durationMs: number;
  readonly expectedStatus: number;
  readonly request: () => LoadRequest;
}

function bytesOf({ method, path, headers = {}, body }: LoadRequest, port: number): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) {
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
}

/** One keep-alive connection with one request under way. Reads just as much HTTP/1.1 as both servers speak. */
class Line {
  #received: Buffer = Buffer.alloc(0);
  #answered: ((status: number) => void) | undefined;
  #failed: ((error: Error) => void) | undefined;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#take(chunk));
    const fail = (error?: Error) => this.#failed?.(error ?? new Error('the server closed the connection'));
    socket.on('error', fail).on('close', () => fail());
  }

  static open(port: number): Promise<Line> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Line(socket)));
      socket.once('error', reject);
    });
  }

  send(bytes: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      this.socket.write(bytes);
    });
  }

  close(): void {
    this.#failed = undefined;
    this.socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = this.#received.toString('latin1', 0, headEnd);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < headEnd + HEAD_END.length + length) return;
    this.#received = Buffer.alloc(0);
    this.#answered?.(Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)));
  }
}

/** Keeps every connection busy with one request after the other. Throws on any other status. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const { port, connections, durationMs, expectedStatus, request } = options;
  const lines = await Promise.all(Array.from({ length: connections }, () => Line.open(port)));
  const latencies: number[] = [];
  const startedAt = performance.now();
  try {
    await Promise.all(
      lines.map(async (line) => {
        for (let now = performance.now(); now - startedAt < durationMs; ) {
          const status = await line.send(bytesOf(request(), port));
          if (status !== expectedStatus) throw new Error(`answered ${status}, not ${expectedStatus}`);
          const after = performance.now();
          latencies.push(after - now);
          now = after;
        }
      }),
    );
  } finally {
    for (const line of lines) line.close();
  }
  return { answers: latencies.length, seconds: (performance.now() - startedAt) / 1000, latencies };
}
