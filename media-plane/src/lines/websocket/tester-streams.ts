import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '@voice/shared/clock/clock';
import { testerQuery } from '@voice/shared/contracts/tester-protocol';
import { readStreamTicket } from '@voice/shared/inter-plane/stream-ticket';
import type { Log } from '@voice/shared/log/log';
import type { Admission } from '../admission.js';
import { ProtocolViolation } from '../codec.js';
import type { StreamConnection, StreamProtocol, StreamRefusal, StreamSocket } from '../stream-server.js';
import { TesterLine } from './tester-line.js';

export interface TesterStreamsOptions {
  readonly admission: Admission;
  /** Signs the tickets of stream URLs. */
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** A second of 48 kHz PCM, in bytes. */
const MAX_MESSAGE_BYTES = 96_000;

/**
 * Serves `/streams/websocket?t=<ticket>`, and `?resume=<token>` for a session whose connection broke. The format is in
 * the query: `encoding` and `sample_rate`.
 */
export function testerStreams(options: TesterStreamsOptions): StreamProtocol {
  const lines = new Set<TesterLine>();
  return {
    path: '/streams/websocket',
    maxMessageBytes: MAX_MESSAGE_BYTES,
    accept(query) {
      const resume = query.get('resume');
      return resume === null ? accept(query, options, lines) : takeUp(resume, lines);
    },
  };
}

type Accepted = StreamRefusal | ((socket: StreamSocket) => StreamConnection);

function accept(
  query: URLSearchParams,
  { admission, secret, clock, log }: TesterStreamsOptions,
  lines: Set<TesterLine>,
): Accepted {
  const ticket = readStreamTicket(secret, query.get('t') ?? '', clock.now());
  if (!ticket) {
    return { status: '401 Unauthorized', reason: 'The token is missing, expired or not ours.' };
  }
  const format = testerQuery.safeParse({
    encoding: query.get('encoding') ?? undefined,
    sample_rate: query.get('sample_rate') ?? undefined,
  });
  if (!format.success) {
    const problems = format.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    return { status: '422 Unprocessable Entity', reason: problems.join('; ') };
  }
  return (socket) => {
    const plan = admission.claim(ticket.callId, ticket.streamToken);
    if (!plan) throw new ProtocolViolation('the session is not reserved here, or was used before');
    const line = new TesterLine({
      sessionId: ticket.callId,
      format: format.data,
      clock,
      log,
      onOver: (over) => lines.delete(over),
    });
    lines.add(line);
    const connection = line.connect(socket);
    admission.startCall(plan, line);
    return connection;
  };
}

function takeUp(token: string, lines: ReadonlySet<TesterLine>): Accepted {
  const given = Buffer.from(token);
  const line = [...lines].find(({ resumeToken }) => {
    const expected = Buffer.from(resumeToken);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!line) return { status: '401 Unauthorized', reason: 'The session is over, or the token is not ours.' };
  return (socket) => line.connect(socket);
}
