import type { IncomingMessage } from 'node:http';
import { type AudioFormat, bytesPerMs } from '@voice/shared/audio/format';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import type { WebSocket } from 'ws';
import { FrameIndex } from '../recognition/frame-index.js';
import type { Phrase } from '../recognition/phrasebook.js';
import { Recogniser } from '../recognition/recogniser.js';
import { DelayedSender } from './delayed-sender.js';
import { FaultyHandshakes, type HandshakeFaults, noHandshakeFaults } from './handshake-faults.js';
import { acceptWebSockets, listen, type RunningEmulator, refuseUpgrade, requestUrl } from './http-server.js';

export interface RecogniserEmulatorOptions {
  /** 0 takes a free one. */
  readonly port?: number;
  readonly phrasebook?: readonly Phrase[];
  /** The accepted keys; any when undefined. */
  readonly apiKeys?: readonly string[];
  /** From audio to what is said of it, in ms. */
  readonly interimDelayMs?: number;
  readonly finalDelayMs?: number;
  readonly clock?: Clock;
}

/** What goes wrong; all off by default, and changeable while it runs. */
interface RecogniserFaults extends HandshakeFaults {
  /** Tears this many connections after `dropAfterAudioMs` of audio. */
  dropNext: number;
  dropAfterAudioMs: number;
  /** Sends what is no JSON in place of this many messages. */
  garbageNext: number;
  /** Says nothing on this many connections, which it accepts. */
  muteNext: number;
  /** Fails as the service does on this many connections, after the first audio. */
  errorNext: number;
}

interface RecogniserCounters {
  /** Handshakes that were accepted. */
  connections: number;
  refused: number;
  /** Connections that are open now. */
  open: number;
  audioBytes: number;
  audioMessages: number;
  /** Finals that were asked for. */
  finalizes: number;
  /** Connections that the client ended as the protocol has it. */
  closed: number;
  /** Connections that were closed because the client broke the protocol. */
  violations: number;
}

export interface RecogniserEmulator extends RunningEmulator {
  readonly counters: Readonly<RecogniserCounters>;
  /** Assign to its fields to make things go wrong. */
  readonly faults: RecogniserFaults;
  /** Tears all open connections. */
  dropConnections(): void;
}

/** One accepted connection, as a vendor's protocol sees it. */
export interface RecogniserConnection {
  readonly interimDelayMs: number;
  readonly finalDelayMs: number;
  readonly clock: Clock;
  readonly counters: RecogniserCounters;
  createRecogniser(format: AudioFormat): Recogniser;
  /** Sends after a delay, in order. */
  send(message: unknown, delayMs?: number): void;
  /** Closes when all that was sent before has gone. */
  close(code: number, reason?: string): void;
  /** Counts audio that came. Returns whether to fail over it now. */
  countAudio(bytes: number, format: AudioFormat): 'goes on' | 'fails' | 'is torn';
}

/** What a vendor's protocol does with a connection. */
export interface RecogniserProtocol {
  onText(text: string): void;
  onBinary(bytes: Buffer): void;
  onEnd(): void;
}

interface RecogniserVendor<Query> {
  /** Reads the key that a handshake brings. */
  keyOf(request: IncomingMessage): string | undefined;
  /** How a session without a good key is closed; absent where its handshake is refused. */
  readonly closesUnauthorized?: { readonly code: number; readonly reason: string };
  parse(url: URL): Query | { readonly status: number; readonly message: string };
  refusalBody(status: number, message: string): unknown;
  serve(query: Query, connection: RecogniserConnection): RecogniserProtocol;
}

/** Serves a vendor's streaming recogniser on loopback; it recognises the phrasebook's phrases by their exact audio. */
export async function startRecogniserEmulator<Query extends object>(
  vendor: RecogniserVendor<Query>,
  options: RecogniserEmulatorOptions,
): Promise<RecogniserEmulator> {
  const { server, running } = await listen(options.port ?? 0);
  const { sockets, dropConnections } = acceptWebSockets(server, '{"error":"not found"}');
  const { interimDelayMs = 0, finalDelayMs = 0, clock = systemClock, phrasebook = [] } = options;
  const faults: RecogniserFaults = {
    ...noHandshakeFaults(),
    dropNext: 0,
    dropAfterAudioMs: 0,
    garbageNext: 0,
    muteNext: 0,
    errorNext: 0,
  };
  const counters: RecogniserCounters = {
    connections: 0,
    refused: 0,
    open: 0,
    audioBytes: 0,
    audioMessages: 0,
    finalizes: 0,
    closed: 0,
    violations: 0,
  };
  const indexes = new Map<string, FrameIndex>();
  const createRecogniser = (format: AudioFormat) => {
    const key = `${format.encoding} ${format.sampleRate}`;
    const index = indexes.get(key) ?? new FrameIndex(phrasebook, format);
    indexes.set(key, index);
    return new Recogniser(index);
  };

  const accept = (socket: WebSocket, query: Query) => {
    const isMute = take(faults, 'muteNext');
    const sender = new DelayedSender(clock, (text) => {
      if (isMute || socket.readyState !== socket.OPEN) return;
      socket.send(take(faults, 'garbageNext') ? '<html>502 Bad Gateway</html>' : text);
    });
    const dropAfterMs = take(faults, 'dropNext') ? faults.dropAfterAudioMs : Number.POSITIVE_INFINITY;
    let audioMs = 0;
    let isClosing = false;
    counters.connections += 1;
    counters.open += 1;
    const protocol = vendor.serve(query, {
      interimDelayMs,
      finalDelayMs,
      clock,
      counters,
      createRecogniser,
      send: (message, delayMs = 0) => sender.send(message, delayMs),
      close(code, reason = '') {
        isClosing = true;
        if (code !== 1000) counters.violations += 1;
        sender.afterAll(() => socket.close(code, reason.slice(0, 120)));
      },
      countAudio(bytes, format) {
        counters.audioBytes += bytes;
        counters.audioMessages += 1;
        audioMs += bytes / bytesPerMs(format);
        if (audioMs >= dropAfterMs) {
          socket.terminate();
          return 'is torn';
        }
        return take(faults, 'errorNext') ? 'fails' : 'goes on';
      },
    });
    socket.on('message', (data: Buffer, isBinary) => {
      if (isClosing) return;
      if (isBinary) protocol.onBinary(data);
      else protocol.onText(data.toString('utf8'));
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      counters.open -= 1;
      sender.cancel();
      protocol.onEnd();
    });
  };

  const handshakes = new FaultyHandshakes(faults);
  server.on('upgrade', (request, socket, head) => {
    const refuse = (status: number, message: string) => {
      counters.refused += 1;
      refuseUpgrade(socket, status, vendor.refusalBody(status, message), faults.retryAfterSeconds);
    };
    const fault = handshakes.take(socket);
    if (fault === 'hangs') return;
    if (fault === 'is refused') return refuse(faults.refuseStatus, 'refused on purpose');
    const key = vendor.keyOf(request);
    if (key === undefined || (options.apiKeys && !options.apiKeys.includes(key))) {
      const { closesUnauthorized: close } = vendor;
      if (!close) refuse(401, 'Unauthorized');
      else sockets.handleUpgrade(request, socket, head, (client) => client.close(close.code, close.reason));
      return;
    }
    const asked = vendor.parse(requestUrl(request));
    if ('status' in asked) {
      refuse(asked.status, asked.message);
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => accept(client, asked));
  });
  return {
    ...running,
    counters,
    faults,
    dropConnections,
    async close() {
      handshakes.drop();
      dropConnections();
      await running.close();
    },
  };
}

type Countdown = 'dropNext' | 'garbageNext' | 'muteNext' | 'errorNext';

function take(faults: RecogniserFaults, fault: Countdown): boolean {
  if (faults[fault] <= 0) return false;
  faults[fault] -= 1;
  return true;
}
