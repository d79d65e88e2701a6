import type { TemplatedApp, WebSocket } from 'uWebSockets.js';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { Log } from '@voice/shared/log/log';
import type { Call } from '../call/call.js';
import {
  type MediaStreamCodec,
  type MediaStreamEvent,
  type MediaStreamSink,
  ProtocolViolation,
} from '../carriers/port.js';

export interface MediaStreamsOptions {
  readonly path: string;
  readonly createCodec: () => MediaStreamCodec;
  readonly clock: Clock;
  readonly log: Log;
  /** The reserved call that the token is for; the token is used up. */
  readonly claim: (callId: string, token: string) => CallPlan | undefined;
  readonly startCall: (
    plan: CallPlan,
    started: Extract<MediaStreamEvent, { type: 'started' }>,
    sink: MediaStreamSink,
  ) => Call;
}

interface Connection {
  readonly codec: MediaStreamCodec;
  call: Call | undefined;
  open: boolean;
  startTimer: Timer | undefined;
}

/** A connection that has not said `start` by then is closed, in ms. */
const START_TIMEOUT_MS = 10_000;
/** How far a connection may fall behind before frames are dropped: two seconds of audio as base64 JSON. */
const MAX_BACKPRESSURE_BYTES = 100 * 300;
/** Frames larger than any carrier's message are refused, in bytes. */
const MAX_MESSAGE_BYTES = 64 * 1024;
/** Seconds without a frame: carriers send fifty a second also in silence. */
const IDLE_TIMEOUT_SECONDS = 30;

/** Policy violation (RFC 6455, section 7.4.1). */
const CLOSE_POLICY = 1008;
const CLOSE_NORMAL = 1000;
const CLOSE_INTERNAL = 1011;

/** The WebSocket end of a carrier's media streams: authenticates `start` by its one-time token, then feeds the call. */
export function addMediaStreams(app: TemplatedApp, options: MediaStreamsOptions): void {
  const { clock, log } = options;

  app.ws<Connection>(options.path, {
    maxPayloadLength: MAX_MESSAGE_BYTES,
    maxBackpressure: MAX_BACKPRESSURE_BYTES,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    sendPingsAutomatically: true,
    upgrade(response, request, context) {
      const connection: Connection = {
        codec: options.createCodec(),
        call: undefined,
        open: true,
        startTimer: undefined,
      };
      response.upgrade(
        connection,
        request.getHeader('sec-websocket-key'),
        request.getHeader('sec-websocket-protocol'),
        request.getHeader('sec-websocket-extensions'),
        context,
      );
    },
    open(socket) {
      const connection = socket.getUserData();
      connection.startTimer = clock.schedule(START_TIMEOUT_MS, () =>
        refuse(socket, 'no start message in time'),
      );
    },
    message(socket, message, isBinary) {
      const connection = socket.getUserData();
      if (!connection.open) return;
      try {
        if (isBinary) throw new ProtocolViolation('a binary frame');
        const { codec } = connection;
        let event = codec.decode(Buffer.from(message).toString('utf8'));
        if (event?.type === 'started') start(socket, event);
        else if (event) connection.call?.onMedia(event);
        for (event = codec.next?.(); event; event = codec.next?.()) {
          if (event.type !== 'started') connection.call?.onMedia(event);
        }
      } catch (error) {
        if (!(error instanceof ProtocolViolation)) {
          log.error(
            { error: String(error), stack: (error as Error).stack },
            'a media frame could not be handled',
          );
          connection.call?.end('provider_failed');
          return;
        }
        refuse(socket, error.message);
      }
    },
    close(socket) {
      const connection = socket.getUserData();
      connection.open = false;
      connection.startTimer?.cancel();
      connection.call?.onStreamClosed();
    },
  });

  function start(socket: WebSocket<Connection>, event: Extract<MediaStreamEvent, { type: 'started' }>): void {
    const connection = socket.getUserData();
    connection.startTimer?.cancel();
    const { call_id: callId = '', token = '' } = event.parameters;
    const plan = options.claim(callId, token);
    if (!plan) {
      log.warn({ call_id: callId }, 'a media stream came with no valid token');
      refuse(socket, 'call_id and token do not name a reserved call');
      return;
    }
    try {
      connection.call = options.startCall(plan, event, sinkOf(socket));
    } catch (error) {
      log.error({ call_id: callId, error: String(error) }, 'a call could not be started');
      close(socket, CLOSE_INTERNAL, 'the call could not be started');
    }
  }

  function refuse(socket: WebSocket<Connection>, reason: string): void {
    const connection = socket.getUserData();
    if (!connection.open) return;
    log.warn({ reason }, 'a media stream is refused');
    close(socket, CLOSE_POLICY, reason);
  }

  function close(socket: WebSocket<Connection>, code: number, reason: string): void {
    const connection = socket.getUserData();
    if (!connection.open) return;
    socket.end(code, reason.slice(0, 120));
  }

  function sinkOf(socket: WebSocket<Connection>): MediaStreamSink {
    const connection = socket.getUserData();
    const { codec } = connection;
    return {
      // send: 1 sent, 0 queued, 2 dropped for backpressure.
      sendAudio: (frame) => connection.open && socket.send(codec.encodeAudio(frame)) !== 2,
      sendMark: (name) => {
        if (connection.open) socket.send(codec.encodeMark(name));
      },
      clear: () => {
        if (connection.open) socket.send(codec.encodeClear());
      },
      close: () => close(socket, CLOSE_NORMAL, 'the call has ended'),
    };
  }
}
