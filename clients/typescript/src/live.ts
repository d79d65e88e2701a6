import { WebSocket } from 'ws';
import { ConnectionFailedError, jsonOf, VoiceError } from './errors.js';
import type { LiveEvent } from './live-events.js';
import { pathOf } from './resource.js';
import { serverSentEvents } from './server-sent-events.js';
import { readMessages } from './socket-messages.js';
import { pauseBefore, type RequestOptions, TIMEOUT_MS, type Transport } from './transport.js';

/** A heartbeat comes every 15 s; a stream that says nothing for this long is lost. */
const SILENCE_MS = 45_000;
const RECONNECT_MS = 1_000;
const PATIENCE_MS = 5 * 60_000;
/** Audio that waits for a reader: some 10 s at 48 kHz stereo. */
const MAX_WAITING_CHUNKS = 250;

export interface FollowOptions extends RequestOptions {
  /** The `seq` of the last event that you have: the stream goes on after it. */
  readonly lastEventId?: string;
  /** How long the stream may say nothing before it is opened anew (ms). By default 45,000. */
  readonly silenceMs?: number;
  /** The longest pause before the first try to come back (ms); each further one is twice as long. By default 1,000. */
  readonly reconnectMs?: number;
  /** For how long it tries to come back once the connection is lost (ms). By default 300,000. */
  readonly patienceMs?: number;
}

/**
 * Follows a call until it is over: what has happened so far, then what happens. Throws what the first connection
 * fails with. Later it comes back by itself where the connection breaks or the service is away for a while, without a
 * gap in what is durable, and throws the last failure once patience is at its end.
 */
export async function* follow(
  transport: Transport,
  callId: string,
  options: FollowOptions = {},
): AsyncGenerator<LiveEvent, void, void> {
  const { signal, silenceMs = SILENCE_MS, reconnectMs = RECONNECT_MS, patienceMs = PATIENCE_MS } = options;
  const { pauses } = transport;
  let lastEventId = options.lastEventId;
  let hasConnected = false;
  let lost: { readonly since: number; tries: number } | undefined;
  for (;;) {
    const connection = new AbortController();
    let silence: NodeJS.Timeout | undefined;
    let failure: VoiceError;
    try {
      const response = await transport.stream('GET', pathOf`/api/v1/calls/${callId}/live`, {
        ...options,
        // Later tries are made here, with more patience.
        ...(hasConnected ? { maxRetries: 0 } : {}),
        signal: AbortSignal.any(signal ? [signal, connection.signal] : [connection.signal]),
        headers: {
          accept: 'text/event-stream',
          ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        },
      });
      hasConnected = true;
      silence = setTimeout(() => connection.abort(), silenceMs);
      for await (const event of serverSentEvents(response.body ?? noBody())) {
        silence.refresh();
        // An answer alone is no way back: the service says something at once, and a proxy in its place does not.
        lost = undefined;
        const data = event.data === '' ? undefined : (jsonOf(event.data) as LiveEvent);
        // Only now: one that could not be read is asked for once more.
        lastEventId = event.id ?? lastEventId;
        if (data === undefined) continue;
        yield data;
        if (data.type === 'status' && data.end_reason !== undefined) return;
      }
      failure = new ConnectionFailedError('The stream ended before the call.');
    } catch (error) {
      if (!hasConnected || signal?.aborted) throw error;
      failure =
        error instanceof VoiceError
          ? error
          : new ConnectionFailedError('The stream broke.', { cause: error });
    } finally {
      clearTimeout(silence);
      connection.abort();
    }
    lost ??= { since: pauses.now(), tries: 0 };
    const leftMs = lost.since + patienceMs - pauses.now();
    const bounds = { firstMs: reconnectMs, longestRetryAfterMs: leftMs };
    const pause = pauseBefore(failure, lost.tries++, pauses.random(), bounds);
    if (pause === undefined || pause > leftMs) throw failure;
    await pauses.wait(pause, signal);
  }
}

async function* noBody(): AsyncGenerator<Uint8Array, void, void> {}

/** What both sides of a call hear, as it is heard. */
export interface ListenedAudio {
  /** 16-bit linear PCM, little-endian; of two channels, the caller's is the left one. 40 ms. */
  readonly pcm: Uint8Array;
  /** Hz. */
  readonly sampleRate: number;
  readonly channels: 1 | 2;
}

export interface ListenOptions {
  /** `stereo`: the caller left, the agent right. By default `mixed`. */
  readonly channels?: 'mixed' | 'stereo';
  readonly signal?: AbortSignal;
  /** How long connecting may take (ms). By default the client's, 30,000. */
  readonly timeoutMs?: number;
}

/** What the service says of the audio before it sends any. */
interface Format {
  readonly sample_rate: number;
  readonly channels: 1 | 2;
}

/**
 * Listens to a call until it is over. `link` is the `listen_url` of a live link. Throws a `ConnectionFailedError`
 * when the connection breaks, also because the audio was not read in time: listen anew.
 */
export async function* listen(
  link: string,
  options: ListenOptions = {},
): AsyncGenerator<ListenedAudio, void, void> {
  const url = new URL(link);
  url.searchParams.set('channels', options.channels ?? 'mixed');
  const socket = new WebSocket(url, { handshakeTimeout: options.timeoutMs ?? TIMEOUT_MS });
  const waiting: ListenedAudio[] = [];
  let format: Format | undefined;
  let over: { error?: Error } | undefined;
  let wake = () => {};
  const end = (error?: Error) => {
    over ??= { error };
    wake();
  };
  readMessages<Format>(socket, {
    message(described) {
      format = described;
    },
    audio(pcm) {
      if (format === undefined) return;
      waiting.push({ pcm, sampleRate: format.sample_rate, channels: format.channels });
      if (waiting.length > MAX_WAITING_CHUNKS) {
        end(new ConnectionFailedError('The audio was not read in time.'));
        socket.terminate();
      }
      wake();
    },
    failed: end,
  });
  socket.on('error', (error) =>
    end(new ConnectionFailedError(`The call cannot be listened to: ${error.message}`, { cause: error })),
  );
  socket.on('close', (code) =>
    end(code === 1000 ? undefined : new ConnectionFailedError(`The stream was closed with ${code}.`)),
  );
  const abort = () => {
    end(new VoiceError('Listening was aborted.', { cause: options.signal?.reason }));
    socket.terminate();
  };
  options.signal?.addEventListener('abort', abort, { once: true });
  if (options.signal?.aborted) abort();
  try {
    for (;;) {
      const next = waiting.shift();
      if (next) yield next;
      else if (over?.error) throw over.error;
      else if (over) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    options.signal?.removeEventListener('abort', abort);
    socket.terminate();
  }
}
