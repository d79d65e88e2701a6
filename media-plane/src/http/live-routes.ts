import type { HttpRequest, HttpResponse, TemplatedApp, us_socket_context_t, WebSocket } from 'uWebSockets.js';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import { durableLiveEvent } from '@voice/shared/contracts/durable-live-event';
import { LIVE_CLOSE, type ListenChannels, listenChannels } from '@voice/shared/contracts/live-streams';
import type { InterPlaneVerifier } from '@voice/shared/inter-plane/request-verifier';
import type { Log } from '@voice/shared/log/log';
import type { CallTap } from '../call/live/call-tap.js';

export interface LiveRoutesOptions {
  /** The tap of a call that this worker holds, reserved ones too. */
  readonly tap: (callId: string) => CallTap | undefined;
  /** The call's events that the control plane has not accepted yet, in order. */
  readonly pending: (callId: string) => Iterable<CallEvent>;
  readonly verifier: InterPlaneVerifier;
  readonly log: Log;
}

interface LiveConnection {
  readonly tap: CallTap;
  readonly afterSeq: number;
  readonly callId: string;
  open: boolean;
  stop: (() => void) | undefined;
}

interface ListenConnection {
  readonly tap: CallTap;
  readonly channels: ListenChannels;
  readonly callId: string;
  open: boolean;
  stop: (() => void) | undefined;
}

type Connection = LiveConnection | ListenConnection;

/** Followers and listeners of one call, each: the control plane's replicas share theirs, so few are needed. */
const MAX_OF_CALL = 128;
/** What may wait for a slow follower: some thousand events, in bytes. */
const MAX_EVENTS_BEHIND_BYTES = 1024 * 1024;
/** What may wait for a slow listener, in ms of audio. */
const MAX_AUDIO_BEHIND_MS = 2000;
const IDLE_TIMEOUT_SECONDS = 30;
/** Both only listen. */
const MAX_MESSAGE_BYTES = 1024;
/** uWebSockets.js: the message was dropped, as more than `maxBackpressure` would have waited. */
const DROPPED = 2;

/**
 * Adds `GET /control/calls/:id/live?after_seq=` and `GET /control/calls/:id/listen?channels=`: WebSockets of the
 * control plane, signed as all that goes between the planes. The first gets JSON events, beginning with what is not
 * accepted yet; the second a format and then audio. Who is too slow is closed with 1013 and never waited for.
 */
export function addLiveRoutes(app: TemplatedApp, options: LiveRoutesOptions): void {
  const { log } = options;

  app.ws<LiveConnection>('/control/calls/:id/live', {
    maxPayloadLength: MAX_MESSAGE_BYTES,
    maxBackpressure: MAX_EVENTS_BEHIND_BYTES,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    sendPingsAutomatically: true,
    upgrade(response, request, context) {
      const admitted = admit(options, request, (tap) => tap.followers);
      if (typeof admitted === 'string') {
        response.writeStatus(admitted).end();
        return;
      }
      const afterSeq = Number(admitted.query.get('after_seq') ?? 0);
      if (!Number.isSafeInteger(afterSeq) || afterSeq < 0) {
        response.writeStatus('422 Unprocessable Entity').end('after_seq: not a number of an event');
        return;
      }
      const { tap, callId } = admitted;
      const connection: LiveConnection = { tap, callId, afterSeq, open: true, stop: undefined };
      upgrade(response, request, context, connection);
    },
    open(socket) {
      const connection = socket.getUserData();
      for (const event of options.pending(connection.callId)) {
        const live = event.seq > connection.afterSeq ? durableLiveEvent(event) : undefined;
        if (live) socket.send(JSON.stringify(live));
      }
      const stop = connection.tap.subscribe({
        onEvent: (_event, text) => {
          if (connection.open && socket.send(text) === DROPPED) dropSlow(socket);
        },
        onClosed: () => end(socket),
      });
      if (connection.open) connection.stop = stop;
    },
    message: refuseMessage,
    close: leave,
  });

  app.ws<ListenConnection>('/control/calls/:id/listen', {
    maxPayloadLength: MAX_MESSAGE_BYTES,
    // Stereo at 48 kHz at most; `behind` knows the call's own rate.
    maxBackpressure: MAX_AUDIO_BEHIND_MS * 192,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    sendPingsAutomatically: true,
    upgrade(response, request, context) {
      const admitted = admit(options, request, (tap) => tap.listeners);
      if (typeof admitted === 'string') {
        response.writeStatus(admitted).end();
        return;
      }
      const channels = listenChannels.safeParse(admitted.query.get('channels') ?? 'mixed');
      if (!channels.success) {
        response.writeStatus('422 Unprocessable Entity').end('channels: mixed or stereo');
        return;
      }
      const { tap, callId } = admitted;
      upgrade(response, request, context, {
        tap,
        callId,
        channels: channels.data,
        open: true,
        stop: undefined,
      } satisfies ListenConnection);
    },
    open(socket) {
      const connection = socket.getUserData();
      let mostBehind = 0;
      const stop = connection.tap.listenIn(
        {
          onFormat: (format) => {
            mostBehind = (MAX_AUDIO_BEHIND_MS * format.sample_rate * 2 * format.channels) / 1000;
            if (connection.open) socket.send(JSON.stringify(format));
          },
          onAudio: (chunk) => {
            if (!connection.open) return;
            if (socket.getBufferedAmount() > mostBehind || socket.send(chunk, true) === DROPPED) {
              dropSlow(socket);
            }
          },
          onClosed: () => end(socket),
        },
        connection,
      );
      if (connection.open) connection.stop = stop;
    },
    message: refuseMessage,
    close: leave,
  });

  function dropSlow(socket: WebSocket<Connection>): void {
    const connection = socket.getUserData();
    log.warn({ call_id: connection.callId }, 'a live stream is dropped: its reader is too slow');
    connection.stop?.();
    // A close frame would wait behind what it is too slow for.
    socket.close();
  }
}

function upgrade<C extends Connection>(
  response: HttpResponse,
  request: HttpRequest,
  context: us_socket_context_t,
  connection: C,
): void {
  response.upgrade(
    connection,
    request.getHeader('sec-websocket-key'),
    request.getHeader('sec-websocket-protocol'),
    request.getHeader('sec-websocket-extensions'),
    context,
  );
}

/** Returns the call that the request may connect to; else the status that says why not. */
function admit(
  { tap: tapOf, verifier }: LiveRoutesOptions,
  request: HttpRequest,
  connected: (tap: CallTap) => number,
): { readonly tap: CallTap; readonly callId: string; readonly query: URLSearchParams } | string {
  const query = request.getQuery() ?? '';
  const path = query ? `${request.getUrl()}?${query}` : request.getUrl();
  const authorization = request.getHeader('authorization');
  if (!verifier.accepts({ method: 'GET', path, authorization }, undefined)) return '401 Unauthorized';
  const callId = request.getParameter(0) ?? '';
  const tap = tapOf(callId);
  if (!tap) return '404 Not Found';
  if (connected(tap) >= MAX_OF_CALL) return '429 Too Many Requests';
  return { tap, callId, query: new URLSearchParams(query) };
}

function end(socket: WebSocket<Connection>): void {
  if (socket.getUserData().open) socket.end(LIVE_CLOSE.ended, 'the call has ended');
}

function refuseMessage(socket: WebSocket<Connection>): void {
  if (socket.getUserData().open) socket.end(LIVE_CLOSE.listenOnly, 'this connection is to listen only');
}

function leave(socket: WebSocket<Connection>): void {
  const connection = socket.getUserData();
  connection.open = false;
  connection.stop?.();
}
