import { randomUUID } from 'node:crypto';
import { type AudioFormat, bytesPerMs } from '@voice/shared/audio/format';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { PhraseRecogniser } from '../recognition/phrase-recogniser.js';
import { DelayedSender } from '../serving/delayed-sender.js';
import { FluxStream } from './flux-stream.js';
import { NovaStream } from './nova-stream.js';
import type { DeepgramCounters, DeepgramFaults, Delays } from './options.js';
import type { Listen } from './query.js';

const novaControl = z.discriminatedUnion('type', [
  z.object({ type: z.literal('KeepAlive') }),
  z.object({ type: z.literal('Finalize'), channel: z.number().optional() }),
  z.object({ type: z.literal('CloseStream') }),
]);
const fluxControl = z.object({ type: z.literal('CloseStream') });

export interface ConnectionContext {
  /** Creates a recogniser for one connection's audio. */
  readonly createRecogniser: (format: AudioFormat) => PhraseRecogniser;
  readonly delays: Delays;
  readonly faults: DeepgramFaults;
  readonly counters: DeepgramCounters;
  readonly idleTimeoutMs: number;
  readonly clock: Clock;
}

/** Serves one accepted WebSocket until either side ends it. */
export function serveConnection(socket: WebSocket, listen: Listen, context: ConnectionContext): void {
  const { clock, faults, counters } = context;
  const isMute = faults.muteNext > 0;
  if (isMute) faults.muteNext -= 1;
  const sender = new DelayedSender(clock, (text) => {
    if (isMute || faults.mute || socket.readyState !== socket.OPEN) return;
    const isGarbage = faults.garbageNext > 0;
    if (isGarbage) faults.garbageNext -= 1;
    socket.send(isGarbage ? '<html>502 Bad Gateway</html>' : text);
  });
  const stream = createStream(listen, context, sender);
  const dropAfterMs = faults.dropNext > 0 ? faults.dropAfterAudioMs : Number.POSITIVE_INFINITY;
  if (faults.dropNext > 0) faults.dropNext -= 1;
  let audioMs = 0;
  let closing = false;
  let idle: Timer | undefined;

  const violation = (code: number, reason: string) => {
    counters.violations += 1;
    if (stream instanceof FluxStream) stream.fail('UNPARSABLE_CLIENT_MESSAGE', reason);
    sender.afterAll(() => socket.close(code, reason));
    closing = true;
  };
  const restartIdle = () => {
    idle?.cancel();
    if (stream instanceof FluxStream) return;
    idle = clock.schedule(context.idleTimeoutMs, () => {
      // developers.deepgram.com, WebSocket, NET and DATA errors.
      violation(1011, 'NET-0001: no audio data or text message within the timeout window');
    });
  };
  const closeStream = () => {
    counters.closeStreams += 1;
    closing = true;
    if (stream instanceof NovaStream) stream.closeStream();
    sender.afterAll(() => socket.close(1000));
  };
  const control = (text: string) => {
    const parsed = (stream instanceof NovaStream ? novaControl : fluxControl).safeParse(json(text));
    if (!parsed.success) {
      violation(1008, 'DATA-0000: the text message is not a control message');
      return;
    }
    switch (parsed.data.type) {
      case 'KeepAlive':
        counters.keepAlives += 1;
        return;
      case 'Finalize':
        counters.finalizes += 1;
        if (stream instanceof NovaStream) stream.finalize();
        return;
      case 'CloseStream':
        closeStream();
    }
  };
  const audio = (bytes: Buffer) => {
    counters.audioBytes += bytes.length;
    counters.audioMessages += 1;
    audioMs += bytes.length / bytesPerMs(listen.format);
    stream.audio(bytes);
    if (audioMs >= dropAfterMs) socket.terminate();
  };

  counters.connections += 1;
  counters.open += 1;
  restartIdle();
  socket.on('message', (data: Buffer, isBinary) => {
    if (closing) return;
    restartIdle();
    if (!isBinary) control(data.toString('utf8'));
    else if (data.length === 0) closeStream();
    else audio(data);
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    counters.open -= 1;
    idle?.cancel();
    sender.cancel();
  });
}

function createStream(
  listen: Listen,
  { createRecogniser, delays }: ConnectionContext,
  sender: DelayedSender,
) {
  const recogniser = createRecogniser(listen.format);
  const options = {
    delays,
    requestId: randomUUID(),
    send: (message: unknown, delayMs: number) => sender.send(message, delayMs),
  };
  switch (listen.kind) {
    case 'nova':
      return new NovaStream(listen.query, recogniser, options);
    case 'flux': {
      const stream = new FluxStream(listen.query, recogniser, options);
      stream.connected();
      return stream;
    }
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
