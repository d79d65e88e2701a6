import type { LiveEvent } from '@voice/shared/contracts/live-events';
import { endsCall } from '../../../../assets/talk/conversation.js';
import { ApiError } from '../../api/errors.js';
import { readEvents } from '../../api/server-sent-events.js';

/** Between two tries to come back to a stream, in ms. */
const AGAIN_MS = 1500;
/** The same where too many follow already and the answer does not say when to come again. */
const CROWDED_MS = 60_000;

interface Stream {
  /** Asks for the events after the one of this id, for all where it is null. Throws an `ApiError` where it gets none. */
  readonly ask: (lastId: string | null) => Promise<Response>;
  readonly wait: (ms: number) => Promise<void>;
  readonly signal: AbortSignal;
  /** The stream is there, also where nothing is said on it yet. */
  readonly onOpen: () => void;
  readonly onEvent: (event: LiveEvent) => void;
  /** The stream is lost, and is asked for again. */
  readonly onLost: () => void;
  /** The service does not give the stream, and why; it may be asked again later. */
  readonly onRefused: (refusal: ApiError) => void;
}

/** After how many ms what was refused is asked for again; null where the same answer would come. Pure. */
function againAfterMs({ status, retryAfter }: ApiError): number | null {
  if (status !== 429) return null;
  return retryAfter === null ? CROWDED_MS : retryAfter * 1000;
}

/** Follows a call to its end, and comes back to its stream without a gap. */
export async function followCall({ ask, wait, signal, ...on }: Stream): Promise<void> {
  let lastId: string | null = null;
  while (!signal.aborted) {
    try {
      const response: Response = await ask(lastId);
      on.onOpen();
      let over = false;
      for await (const { id, data } of readEvents(response)) {
        lastId = id ?? lastId;
        const event = JSON.parse(data) as LiveEvent;
        over ||= endsCall(event);
        on.onEvent(event);
      }
      if (over || signal.aborted) return;
    } catch (error) {
      if (signal.aborted) return;
      if (isRefusal(error)) {
        on.onRefused(error);
        const againMs = againAfterMs(error);
        if (againMs === null) return;
        await wait(againMs);
        continue;
      }
    }
    on.onLost();
    await wait(AGAIN_MS);
  }
}

/** The service does not want to, and not: it cannot just now. */
const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status >= 400 && error.status < 500;
