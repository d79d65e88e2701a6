import type { TemplatedApp, WebSocket } from 'uWebSockets.js';
import type { Clock } from '@voice/shared/clock/clock';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import { readStreamTicket, type StreamTicket } from '@voice/shared/inter-plane/stream-ticket';
import type { Log } from '@voice/shared/log/log';
import type { Call } from '../call/call.js';
import { type MediaStreamEvent, type MediaStreamSink, ProtocolViolation } from '../carriers/port.js';
import { TesterAudio, type TesterFormat, testerFormat } from '../carriers/websocket/tester-audio.js';
import { readTesterMessage, type ServerMessage } from '../carriers/websocket/tester-messages.js';

export interface TesterStreamsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Signed the tester's ticket. */
  readonly secret: string;
  /** The reserved call that the token is for; the token is used up. */
  readonly claim: (callId: string, token: string) => CallPlan | undefined;
  readonly startCall: (
    plan: CallPlan,
    started: Extract<MediaStreamEvent, { type: 'started' }>,
    sink: MediaStreamSink,
  ) => Call;
}

interface Connection {
  readonly ticket: StreamTicket;
  readonly format: TesterFormat;
  readonly audio: TesterAudio;
  readonly openedAt: number;
  call: Call | undefined;
  open: boolean;
}

/** A second of 48 kHz PCM, in bytes. */
const MAX_MESSAGE_BYTES = 96_000;
/** Two seconds of 48 kHz PCM, in bytes: a tester that is further behind loses frames. */
const MAX_BACKPRESSURE_BYTES = 192_000;
const IDLE_TIMEOUT_SECONDS = 30;
/** RFC 6455, section 7.4.1. */
const CLOSE_NORMAL = 1000;
const CLOSE_POLICY = 1008;
const CLOSE_INTERNAL = 1011;

/**
 * `/streams/websocket?t=<ticket>`: a tester's own connection in place of a carrier's. Audio goes in binary
 * frames both ways, everything else in JSON text frames.
 */
export function addTesterStreams(app: TemplatedApp, options: TesterStreamsOptions): void {
  const { clock, log } = options;

  app.ws<Connection>('/streams/websocket', {
    maxPayloadLength: MAX_MESSAGE_BYTES,
    maxBackpressure: MAX_BACKPRESSURE_BYTES,
    idleTimeout: IDLE_TIMEOUT_SECONDS,
    sendPingsAutomatically: true,
    upgrade(response, request, context) {
      const query = new URLSearchParams(request.getQuery());
      const ticket = readStreamTicket(options.secret, query.get('t') ?? '', clock.now());
      if (!ticket) {
        response.writeStatus('401 Unauthorized').end('The token is missing, expired or not ours.');
        return;
      }
      const format = testerFormat.safeParse({
        encoding: query.get('encoding') ?? undefined,
        sample_rate: query.get('sample_rate') ?? undefined,
      });
      if (!format.success) {
        const problems = format.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
        response.writeStatus('422 Unprocessable Entity').end(problems.join('; '));
        return;
      }
      const connection: Connection = {
        ticket,
        format: format.data,
        audio: new TesterAudio(format.data),
        openedAt: clock.monotonic(),
        call: undefined,
        open: true,
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
      const { callId, streamToken } = connection.ticket;
      const plan = options.claim(callId, streamToken);
      if (!plan) {
        refuse(socket, 'the session is not reserved here, or was used before');
        return;
      }
      const { encoding, sample_rate } = connection.format;
      tell(socket, { type: 'started', session_id: callId, encoding, sample_rate });
      try {
        connection.call = options.startCall(
          plan,
          { type: 'started', streamId: callId, carrierCallId: `websocket-${callId}`, parameters: {} },
          sinkOf(socket),
        );
      } catch (error) {
        log.error({ call_id: callId, error: String(error) }, 'a test call could not be started');
        close(socket, CLOSE_INTERNAL, 'the call could not be started');
      }
    },
    message(socket, message, isBinary) {
      const connection = socket.getUserData();
      if (!connection.open) return;
      try {
        if (isBinary) {
          const elapsedMs = clock.monotonic() - connection.openedAt;
          for (const { frame, timestampMs } of connection.audio.receive(new Uint8Array(message), elapsedMs)) {
            connection.call?.onMedia({ type: 'audio', frame, timestampMs });
          }
        } else {
          connection.call?.onMedia(readTesterMessage(Buffer.from(message).toString('utf8')));
        }
      } catch (error) {
        if (error instanceof ProtocolViolation) {
          refuse(socket, error.message);
          return;
        }
        log.error({ error: String(error), stack: (error as Error).stack }, 'a frame could not be handled');
        connection.call?.end('provider_failed');
      }
    },
    close(socket) {
      const connection = socket.getUserData();
      connection.open = false;
      connection.call?.onStreamClosed();
    },
  });

  function tell(socket: WebSocket<Connection>, message: ServerMessage): void {
    if (socket.getUserData().open) socket.send(JSON.stringify(message));
  }

  function refuse(socket: WebSocket<Connection>, reason: string): void {
    log.warn({ reason }, 'a test stream is refused');
    close(socket, CLOSE_POLICY, reason);
  }

  function close(socket: WebSocket<Connection>, code: number, reason: string): void {
    if (socket.getUserData().open) socket.end(code, reason.slice(0, 120));
  }

  function sinkOf(socket: WebSocket<Connection>): MediaStreamSink {
    const connection = socket.getUserData();
    return {
      // send: 1 sent, 0 queued, 2 dropped for backpressure.
      sendAudio: (frame) => {
        if (!connection.open) return false;
        const bytes = connection.audio.send(frame);
        return bytes.length === 0 || socket.send(bytes, true) !== 2;
      },
      sendMark: (name) => tell(socket, { type: 'mark', name }),
      clear: () => tell(socket, { type: 'clear' }),
      close: () => {
        tell(socket, { type: 'ended' });
        close(socket, CLOSE_NORMAL, 'the call has ended');
      },
    };
  }
}
