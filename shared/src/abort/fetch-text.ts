import { type SignalEnds, withJoinedSignal } from './with-joined-signal.js';

/** An answer, read to its end. */
export interface TextAnswer {
  readonly status: number;
  /** Whether the status is 200 to 299. */
  readonly ok: boolean;
  readonly text: string;
}

/** Fetches and reads the whole answer, until one of the signals aborts or its time is over. Rejects as `fetch` does. */
export function fetchText(url: string | URL, request: RequestInit, ends: SignalEnds): Promise<TextAnswer> {
  return withJoinedSignal(ends, async (signal) => {
    const answer = await fetch(url, { ...request, signal });
    return { status: answer.status, ok: answer.ok, text: await answer.text() };
  });
}
