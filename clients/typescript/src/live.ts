import { WebSocket } from 'ws';
import { ApiError, ConnectionFailedError, jsonOf, VoiceError } from './errors.js';
import type { LiveEvent } from './live-events.js';
import { pathOf } from './resource.js';
import { serverSentEvents } from './server-sent-events.js';
import { readMessages } from './socket-messages.js';
import type { RequestOptions, Transport } from './transport.js';

/** A heartbeat comes every 15 s; a stream that says nothing for this long is lost. */
const SILENCE_MS = 45_000;
const RECONNECT_MS = 1_000;
/** Audio that waits for a reader: some 10 s at 48 kHz stereo. */
const MAX_WAITING_CHUNKS = 250;

export interface FollowOptions extends RequestOptions {
  /** The `seq` of the last event that you have: the stream goes on after it. */
  readonly lastEventId?: string;
  /** How long the stream may say nothing before it is opened anew (ms). By default 45,000. */
  readonly silenceMs?: number;
  readonly reconnectMs?: number;
}

/**
 * Follows a call until it is over: what has happened so far, then what happens. Comes back by itself where the
 * connection breaks, without a gap in what is durable.
 */
export async function* follow(
  transport: Transport,
  callId: string,
  options: FollowOptions = {},
): AsyncGenerator<LiveEvent, void, void> {
  let lastEventId = options.lastEventId;
  for (;;) {
    const connection = new AbortController();
    const signals = options.signal ? [options.signal, connection.signal] : [connection.signal];
    const silence = setTimeout(() => connection.abort(), options.silenceMs ?? SILENCE_MS);
    try {
      const response = await transport.stream('GET', pathOf`/api/v1/calls/${callId}/live`, {
        ...options,
        signal: AbortSignal.any(signals),
        headers: {
          accept: 'text/event-stream',
          ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        },
      });
      for await (const event of serverSentEvents(response.body ?? noBody())) {
        silence.refresh();
        const data = event.data === '' ? undefined : (jsonOf(event.data) as LiveEvent);
        // Only now: one that could not be read is asked for once more.
        lastEventId = event.id ?? lastEventId;
        if (data === undefined) continue;
        yield data;
        if (data.type === 'status' && data.end_reason !== undefined) return;
      }
    } catch (error) {
      if (options.signal?.aborted) throw error;
      // A refusal stays one; a broken stream is opened anew.
      if (error instanceof ApiError) throw error;
    } finally {
      clearTimeout(silence);
      connection.abort();
    }
    await new Promise((resolve) => setTimeout(resolve, options.reconnectMs ?? RECONNECT_MS));
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
  const socket = new WebSocket(url);
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
