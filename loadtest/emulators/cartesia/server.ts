import { type Clock, systemClock } from '@voice/shared/clock/clock';
import type { WebSocket } from 'ws';
import { FaultyHandshakes, type HandshakeFaults, noHandshakeFaults } from '../serving/handshake-faults.js';
import {
  acceptWebSockets,
  listen,
  type RunningEmulator,
  refuseUpgrade,
  requestUrl,
} from '../serving/http-server.js';
import type { Pace } from '../serving/paced-audio.js';
import { noSpeechFaults, type SpeechFault, type SpeechFaults } from '../serving/speech-faults.js';
import { createToneVoice } from '../synthesis/tone-voice.js';
import { SpeechContext } from './context.js';
import { type Generation, parseClientMessage, settingsOf } from './request.js';
import { answerVoices } from './voice-list.js';

/** How long a context waits for more text, in ms (docs.cartesia.ai, "Contexts"). */
const CONTEXT_LIFE_MS = 1000;

interface CartesiaEmulatorOptions extends Partial<Pace> {
  /** 0 takes a free one. */
  readonly port?: number;
  /** The accepted keys; any when undefined. */
  readonly apiKeys?: readonly string[];
  readonly contextLifeMs?: number;
  readonly clock?: Clock;
}

interface CartesiaFaults extends SpeechFaults, HandshakeFaults {}

interface CartesiaCounters {
  connections: number;
  refused: number;
  /** Connections that are open now. */
  open: number;
  contexts: number;
  cancelled: number;
  /** Contexts that were over before their last input came. */
  expired: number;
  characters: number;
  /** Messages that were refused. */
  violations: number;
}

export interface CartesiaEmulator extends RunningEmulator {
  readonly counters: Readonly<CartesiaCounters>;
  readonly faults: CartesiaFaults;
  /** The accepted inputs, newest last; at most the last hundred. */
  readonly inputs: readonly Generation[];
  /** Tears all open connections. */
  dropConnections(): void;
}

/** Serves Cartesia's text to speech over WebSocket on loopback, by a tone. */
export async function startCartesiaEmulator(
  options: CartesiaEmulatorOptions = {},
): Promise<CartesiaEmulator> {
  const { server, running } = await listen(options.port ?? 0);
  const accepts = (key: string | string[] | undefined) =>
    typeof key === 'string' && (!options.apiKeys || options.apiKeys.includes(key));
  const { sockets, dropConnections } = acceptWebSockets(server, '{"message":"Not Found"}', (request) =>
    answerVoices(request, accepts),
  );
  const faults: CartesiaFaults = { ...noSpeechFaults(), ...noHandshakeFaults() };
  const emulation = new Emulation(options, faults);
  const { counters } = emulation;
  const handshakes = new FaultyHandshakes(faults);
  server.on('upgrade', (request, socket, head) => {
    const refuse = (status: number, message: string) => {
      counters.refused += 1;
      refuseUpgrade(socket, status, { title: message, message }, faults.retryAfterSeconds);
    };
    const fault = handshakes.take(socket);
    if (fault === 'hangs') return;
    if (fault === 'is refused') return refuse(faults.refuseStatus, 'refused on purpose');
    const key = request.headers['x-api-key'];
    const { pathname, searchParams } = requestUrl(request);
    if (pathname !== '/tts/websocket') refuse(404, 'Not Found');
    else if (!accepts(key)) {
      refuse(401, 'Unauthorized');
    } else if (!/^\d{4}-\d\d-\d\d$/.test(searchParams.get('cartesia_version') ?? '')) {
      refuse(400, 'cartesia_version is missing');
    } else {
      sockets.handleUpgrade(request, socket, head, (client) => emulation.serve(client));
    }
  });
  return {
    ...running,
    counters,
    faults,
    inputs: emulation.inputs,
    dropConnections,
    async close() {
      handshakes.drop();
      dropConnections();
      await running.close();
    },
  };
}

class Emulation {
  readonly inputs: Generation[] = [];
  readonly counters: CartesiaCounters = {
    connections: 0,
    refused: 0,
    open: 0,
    contexts: 0,
    cancelled: 0,
    expired: 0,
    characters: 0,
    violations: 0,
  };
  readonly #faults: CartesiaFaults;
  readonly #pace: Pace;
  readonly #clock: Clock;
  readonly #lifeMs: number;
  readonly #source = createToneVoice();

  constructor(options: CartesiaEmulatorOptions, faults: CartesiaFaults) {
    const { firstAudioDelayMs = 0, speed = 10, chunkMs = 250 } = options;
    this.#faults = faults;
    this.#pace = { firstAudioDelayMs, speed, chunkMs };
    this.#clock = options.clock ?? systemClock;
    this.#lifeMs = options.contextLifeMs ?? CONTEXT_LIFE_MS;
  }

  serve(socket: WebSocket): void {
    const contexts = new Map<string, SpeechContext>();
    /** Ids that must not come again. */
    const over = new Set<string>();
    const send = (message: object) => {
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
    };
    const refuse = (id: string | undefined, problem: string) => {
      this.counters.violations += 1;
      const context = id === undefined ? {} : { context_id: id };
      const error = {
        title: 'Bad request',
        error_code: 'invalid_request',
        message: problem,
        status_code: 400,
      };
      send({ type: 'error', done: true, ...error, ...context });
    };
    this.counters.connections += 1;
    this.counters.open += 1;
    socket.on('error', () => {});
    socket.on('close', () => {
      this.counters.open -= 1;
      for (const context of contexts.values()) context.stop();
    });
    socket.on('message', (data: Buffer, isBinary) => {
      const message = parseClientMessage(isBinary ? '' : data.toString('utf8'));
      if (message.kind === 'wrong') refuse(message.contextId, message.problem);
      else if (message.kind === 'cancel') {
        contexts.get(message.contextId)?.stop();
        if (contexts.delete(message.contextId)) this.counters.cancelled += 1;
        over.add(message.contextId);
      } else {
        const { input, format } = message;
        const { context_id: id } = input;
        const known = contexts.get(id);
        if (over.has(id)) return refuse(id, 'the context has ended');
        if (known?.isEnded) return refuse(id, 'the context has had its last input');
        if (known && known.settings !== settingsOf(input))
          return refuse(id, 'the settings of a context cannot change');
        this.#count(input);
        const context =
          known ??
          this.#context(socket, input, format, send, (reason) => {
            contexts.delete(id);
            over.add(id);
            if (reason === 'expired') this.counters.expired += 1;
            send({ type: 'done', done: true, status_code: 200, context_id: id });
          });
        contexts.set(id, context);
        context.take(input.transcript, input.continue);
      }
    });
  }

  #count(input: Generation): void {
    this.inputs.push(input);
    if (this.inputs.length > 100) this.inputs.shift();
    this.counters.characters += input.transcript.trim().length;
  }

  #context(
    socket: WebSocket,
    input: Generation,
    format: Parameters<typeof createContextOptions>[0],
    send: (message: object) => void,
    onEnd: (reason: 'done' | 'expired') => void,
  ): SpeechContext {
    this.counters.contexts += 1;
    return new SpeechContext({
      ...createContextOptions(format, input),
      source: this.#source,
      pace: this.#pace,
      clock: this.#clock,
      faults: this.#faults,
      lifeMs: this.#lifeMs,
      send,
      breakOff: (fault) => breakOff(socket, fault, input.context_id, send),
      onEnd,
    });
  }
}

function createContextOptions(
  format: ConstructorParameters<typeof SpeechContext>[0]['format'],
  input: Generation,
) {
  return { id: input.context_id, settings: settingsOf(input), format, hasTimestamps: input.add_timestamps };
}

function breakOff(socket: WebSocket, fault: SpeechFault, id: string, send: (message: object) => void): void {
  switch (fault) {
    case 'drop':
      socket.terminate();
      return;
    case 'error':
      send({
        type: 'error',
        done: true,
        title: 'Internal error',
        error_code: 'internal_error',
        message: 'failed on purpose',
        status_code: 500,
        context_id: id,
      });
      return;
    case 'garbage':
      socket.send('<html>502 Bad Gateway</html>');
      return;
    case 'freeze':
    case 'stall':
  }
}
