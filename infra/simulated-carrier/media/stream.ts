import { once } from 'node:events';
import { FRAME_BYTES, MULAW_SILENCE } from '@voice/shared/audio/g711';
import type { Clock } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import { WebSocket } from 'ws';
import type { Line } from './line.js';
import { readMessage, type StreamIds, StreamMessages } from './messages.js';
import { type NetworkName, NetworkPath } from './network.js';
import { PlayBuffer } from './play-buffer.js';

/** How long the other side may take to accept the WebSocket, in ms. */
const HANDSHAKE_TIMEOUT_MS = 5000;
/** How long it may take to close it after us, in ms. */
const CLOSE_TIMEOUT_MS = 1000;
/** RFC 6455: the message violates what the protocol allows. */
const POLICY_VIOLATION = 1008;
/** Every call meets the same network. */
const SEEDS = { toWorker: 20_011, toPerson: 30_011 };
const SILENCE = new Uint8Array(FRAME_BYTES).fill(MULAW_SILENCE);

export interface StreamRequest {
  readonly url: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly ids: StreamIds;
  /** What is between the person and the worker. */
  readonly network: NetworkName;
}

/** How a stream ended: by the other side, by the end of the call here, or because it never worked. */
export type StreamEnd =
  | { readonly by: 'other_side' }
  | { readonly by: 'call' }
  /** Twilio's warnings: 31920 handshake error, 31951 invalid message. */
  | { readonly by: 'error'; readonly code: 31920 | 31951; readonly message: string };

/**
 * Runs Twilio's side of a bidirectional media stream: opens the WebSocket, sends what the person says every 20 ms
 * also when that is silence, plays what it is sent in order and in real time. Resolves when it is over.
 */
export async function runStream(
  request: StreamRequest,
  line: Line,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  signal: AbortSignal,
): Promise<StreamEnd> {
  // `closeTimeout` is documented by ws 8.23 and not yet in its type declarations.
  const options = {
    perMessageDeflate: false,
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    closeTimeout: CLOSE_TIMEOUT_MS,
  };
  const socket = new WebSocket(request.url, options);
  const refused = await handshake(socket, signal);
  if (refused) return refused;

  const messages = new StreamMessages(request.ids);
  const buffer = new PlayBuffer();
  const { network } = request;
  const toWorker = new NetworkPath({ network, clock, seed: SEEDS.toWorker });
  const toPerson = new NetworkPath({ network, clock, seed: SEEDS.toPerson });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const end: { value: StreamEnd } = { value: { by: 'other_side' } };
  const send = (text: string) =>
    toWorker.send(() => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    });
  const returnMarks = (names: readonly string[]) => {
    for (const name of names) send(messages.mark(name));
  };
  socket.on('message', (data, isBinary) => {
    if (socket.readyState !== WebSocket.OPEN) return;
    try {
      if (isBinary) throw new Error('a binary message');
      const message = readMessage(data.toString(), request.ids.streamSid);
      toPerson.send(() => {
        if (message.event === 'media') buffer.audio(message.audio);
        else if (message.event === 'mark') returnMarks(buffer.mark(message.name));
        else returnMarks(buffer.clear());
      });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      end.value = { by: 'error', code: 31951, message: `Stream - Protocol - Invalid Message: ${reason}` };
      socket.close(POLICY_VIOLATION, '31951');
    }
  });

  send(messages.connected());
  send(messages.start(request.parameters));
  const disconnect = line.connect({
    next() {
      const { frame, marks } = buffer.play();
      returnMarks(marks);
      return toPerson.losesFrame() ? SILENCE : frame;
    },
    take: (frame, positionMs) => send(messages.media(toWorker.losesFrame() ? SILENCE : frame, positionMs)),
    press: (key) => send(messages.dtmf(key)),
  });
  const onAbort = () => {
    end.value = { by: 'call' };
    send(messages.stop());
    // Behind what is still under way.
    toWorker.send(() => socket.close(1000));
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  socket.on('error', (error) => log.warn({ err: String(error) }, 'media stream torn'));
  await closed;
  signal.removeEventListener('abort', onAbort);
  disconnect();
  toWorker.close();
  toPerson.close();
  return end.value;
}

/** Waits for the handshake; undefined when the stream is open. */
async function handshake(socket: WebSocket, signal: AbortSignal): Promise<StreamEnd | undefined> {
  const abort = () => socket.terminate();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await once(socket, 'open');
    return undefined;
  } catch (error) {
    // Terminating an unfinished handshake raises an error of its own later.
    socket.on('error', () => {});
    if (signal.aborted) return { by: 'call' };
    return { by: 'error', code: 31920, message: `Stream - WebSocket - Handshake Error: ${String(error)}` };
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
