import type { Response } from 'express';
import type { IdempotencyStore, RunClaim } from './idempotency.js';
import type { AnyReply, StreamEvents } from './route.js';
import { EventStream, RecordedEvents } from './server-sent-events.js';

/** The claim of a request that is to be repeated with the same answer. */
export interface ClaimedRequest {
  readonly claim: RunClaim;
  readonly idempotency: IdempotencyStore;
  /** That the lock could not be renewed stops nothing. */
  readonly onLockError: (error: unknown) => void;
}

/**
 * Streams an answer as events while it comes about. Under a claim it is kept as it went over the wire, before the
 * stream ends, so that a client that saw the end gets a replay; and it comes about whether or not the client stays: one
 * that lost the connection asks again with its key, and must neither start the operation anew nor miss its answer.
 */
export async function streamEvents(
  { status, headers = {}, events }: AnyReply & { readonly events: StreamEvents },
  response: Response,
  claimed: ClaimedRequest | undefined,
): Promise<void> {
  const gone = new AbortController();
  if (!claimed) response.once('close', () => gone.abort(new Error('the client is gone')));
  response.status(status).set(headers);
  const stream = new EventStream(response);
  const recorder = new RecordedEvents(stream);
  if (claimed) {
    await underClaim(claimed, async () => {
      const outcome = await events(recorder, gone.signal);
      const { headers: own, body } = recorder.recorded();
      return outcome === 'done' ? { status, headers: { ...own, ...headers }, body } : null;
    });
  } else {
    await events(recorder, gone.signal);
  }
  stream.end();
}

/** Keeps the answer that `run` comes to; null, or a failure, frees the key. */
async function underClaim(
  { claim, idempotency, onLockError }: ClaimedRequest,
  run: () => Promise<Parameters<IdempotencyStore['complete']>[1] | null>,
): Promise<void> {
  const alive = idempotency.keepAlive(claim, onLockError);
  try {
    const answer = await run();
    await alive.stop();
    if (answer) await idempotency.complete(claim, answer);
    else await idempotency.release(claim);
  } catch (error) {
    await alive.stop();
    await idempotency.release(claim);
    throw error;
  }
}
