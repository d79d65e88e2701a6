import type { PlivoCall } from './emulated-call.js';
import { plivoHeaders } from './signature.js';

const TIMEOUT_MS = 10_000;

export interface SeenCallback {
  readonly url: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly status: number;
}

/** Posts signed callbacks of one account, and keeps them. */
export class PlivoCallbacks {
  /** What was asked of us, and what was answered. */
  readonly all: SeenCallback[] = [];
  readonly #authToken: string;

  constructor(authToken: string) {
    this.#authToken = authToken;
  }

  /** Posts a callback of a call; the answer has status 0 where nobody gave one. */
  async post(
    call: PlivoCall,
    url: string,
    more: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const fields = {
      CallUUID: call.id,
      ...(call.direction === 'outbound' ? { RequestUUID: call.id } : {}),
      From: call.from,
      To: call.to,
      Direction: call.direction,
      ...more,
    };
    const answer = await fetch(url, {
      method: 'POST',
      headers: plivoHeaders(this.#authToken, url, fields),
      body: new URLSearchParams(fields).toString(),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).then(
      async (response) => ({ status: response.status, text: await response.text() }),
      () => ({ status: 0, text: '' }),
    );
    this.all.push({ url, fields, status: answer.status });
    return answer;
  }
}
