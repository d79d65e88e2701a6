import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 8000;

export interface ApiAnswer {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

/** A client of the API that tries the replicas in turn, as one behind a balancer does. */
export class ReplicasClient {
  constructor(
    private readonly urls: () => readonly string[],
    private readonly key: string,
  ) {}

  /** Sends one request to one replica after another; undefined when none gave an answer below 500. */
  async attempt(
    method: string,
    path: string,
    body?: unknown,
    idempotencyKey?: string,
  ): Promise<ApiAnswer | undefined> {
    for (const url of this.urls()) {
      try {
        const response = await fetch(url + path, {
          method,
          headers: {
            authorization: `Bearer ${this.key}`,
            connection: 'close',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        const text = await response.text();
        if (response.status >= 500) continue;
        return { status: response.status, json: text === '' ? {} : JSON.parse(text) };
      } catch {
        // The next one.
      }
    }
    return undefined;
  }

  /** Repeats a request for `withinMs`; throws when there is no 2xx by then. */
  async request(
    method: string,
    path: string,
    body?: unknown,
    { idempotencyKey, withinMs = 60_000 }: { idempotencyKey?: string; withinMs?: number } = {},
  ): Promise<Record<string, unknown>> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const answer = await this.attempt(method, path, body, idempotencyKey);
      if (answer && answer.status < 300) return answer.json;
      if (performance.now() > deadline) {
        throw new Error(
          `${method} ${path}: ${answer?.status ?? 'no answer'} ${JSON.stringify(answer?.json)}`,
        );
      }
      await sleep(500);
    }
  }
}
