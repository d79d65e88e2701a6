import { describe, expect, it } from 'vitest';
import { ApiError } from '../../api/errors.js';
import { followCall } from './follow-call.js';

const STATE = { type: 'state', state: 'listening', at_ms: 0 };
const TURN = { type: 'notice', code: 'c', message: 'm', seq: 7 };
const ENDED = { type: 'ended', end_reason: 'caller_hangup', duration_ms: 1 };

const stream = (...events: readonly object[]) =>
  new Response(
    events
      .map((event) => `${'seq' in event ? `id: ${event.seq}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
      .join(''),
  );
const refusal = (status: number, retryAfter: number | null = null) =>
  new ApiError({ status, code: 'no', message: 'No.', retryAfter });
const unreachable = () => refusal(0);

/** Follows a call whose service gives these answers, and returns what was noticed, in order. */
async function followed(...answers: readonly (Response | ApiError)[]): Promise<readonly string[]> {
  const noticed: string[] = [];
  const rest = [...answers];
  await followCall({
    ask: async (lastId) => {
      noticed.push(lastId === null ? 'asks' : `asks after ${lastId}`);
      const answer = rest.shift();
      if (answer instanceof Response) return answer;
      throw answer;
    },
    wait: async (ms) => {
      noticed.push(`waits ${ms}`);
    },
    signal: new AbortController().signal,
    onOpen: () => noticed.push('open'),
    onEvent: ({ type }) => noticed.push(type),
    onLost: () => noticed.push('lost'),
    onRefused: ({ message }) => noticed.push(`refused: ${message}`),
  });
  return noticed;
}

describe('a call that is followed', () => {
  it('is followed to its end', async () => {
    expect(await followed(stream(STATE, ENDED))).toEqual(['asks', 'open', 'state', 'ended']);
  });

  it('is come back to where the stream was lost, and is there again before anything is said', async () => {
    expect(await followed(stream(TURN), unreachable(), refusal(503), stream(ENDED))).toEqual([
      ...['asks', 'open', 'notice', 'lost', 'waits 1500'],
      ...['asks after 7', 'lost', 'waits 1500'],
      ...['asks after 7', 'lost', 'waits 1500'],
      ...['asks after 7', 'open', 'ended'],
    ]);
  });

  it.each([401, 403, 404])('is not asked for again where it is refused with %s', async (status) => {
    expect(await followed(refusal(status))).toEqual(['asks', 'refused: No.']);
  });

  it('is asked for again when there is room for one who follows it', async () => {
    expect(await followed(refusal(429, 5), refusal(429), stream(ENDED))).toEqual([
      ...['asks', 'refused: No.', 'waits 5000'],
      ...['asks', 'refused: No.', 'waits 60000'],
      ...['asks', 'open', 'ended'],
    ]);
  });
});
