import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { WebSocket } from 'ws';
import type { SoundOfPhrase } from '../recognition/phrase-track.js';
import type { AnsweringContext, ServerMessage } from './answering.js';
import { INVALID_ARGUMENT, parseClientMessage, type Refusal } from './client-message.js';
import { EMPTY_MEMORY, type Memory } from './model.js';
import { checkModel } from './models.js';
import type { GeminiLiveCounters } from './options.js';
import type { knownPhrases } from './phrase-recogniser.js';
import { LiveSession } from './session.js';
import type { Setup } from './setup-message.js';

/** A close frame's reason has at most 123 bytes; the service cuts its longer ones. */
const LONGEST_REASON = 123;

export interface ConnectionContext {
  readonly answering: AnsweringContext;
  readonly phrases: ReturnType<typeof knownPhrases>;
  readonly sounds: readonly SoundOfPhrase[] | undefined;
  readonly transcriptionDelayMs: number;
  readonly connectionLifeMs: number;
  readonly goAwayLeadMs: number;
  readonly sessionLifeMs: number;
  readonly clock: Clock;
  readonly counters: GeminiLiveCounters;
  /** Returns the reason why the key is refused; undefined when it is good. */
  refusalOfKey(key: string | undefined): Refusal | undefined;
  /** Looks up what is remembered under a handle: its session's memory and age in ms. */
  recall(handle: string): KeptSession | undefined;
  keep(session: KeptSession): string;
}

export interface KeptSession {
  readonly memory: Memory;
  readonly startedAt: number;
}

/** Serves one accepted WebSocket until either side ends it. */
export class LiveConnection {
  readonly #socket: WebSocket;
  readonly #context: ConnectionContext;
  readonly #key: string | undefined;
  readonly #timers: Timer[] = [];
  #session: LiveSession | undefined;
  #closing = false;

  constructor(socket: WebSocket, key: string | undefined, context: ConnectionContext) {
    this.#socket = socket;
    this.#key = key;
    this.#context = context;
    context.counters.connections += 1;
    socket.on('message', (data: Buffer) => this.#received(data.toString('utf8')));
    socket.on('error', () => {});
    socket.on('close', () => this.#release());
    this.#after(context.connectionLifeMs - context.goAwayLeadMs, () => this.goAway(context.goAwayLeadMs));
  }

  /** Announces the end of the connection and ends it in so many ms. */
  goAway(inMs: number): void {
    if (this.#closing) return;
    this.#context.counters.goAways += 1;
    this.#send({ goAway: { timeLeft: `${inMs / 1000}s` } });
    this.#after(inMs, () => {
      this.#refuse({
        code: 1008,
        reason:
          'Connection aborted because the client failed to close the connection after receiving a GoAway signal ' +
          'once the session duration limit was reached.',
      });
    });
  }

  /** What the model remembers. */
  get memory(): Memory {
    return this.#session?.memory ?? EMPTY_MEMORY;
  }

  /** Ends it as the service does when a session is over. */
  expire(): void {
    this.#refuse({ code: 1011, reason: 'Deadline expired before operation could complete.' });
  }

  /** Sends what no client understands. */
  sendGarbage(): void {
    this.#socket.send('{"serverContent":');
    this.#socket.send(Buffer.from([0, 1, 2, 255]), { binary: true });
    this.#socket.send('{"serverContent":{"modelTurn":{"parts":7}},"novelty":{"of":"tomorrow"}}');
    this.#socket.send('{"novelty":{"of":"tomorrow"}}');
  }

  tear(): void {
    this.#socket.terminate();
  }

  #received(text: string): void {
    if (this.#closing) return;
    const message = parseClientMessage(text);
    if ('reason' in message) this.#refuse(message);
    else if (this.#session) this.#session.take(message);
    // The wording for a first message that is no set-up is not documented.
    else if (!message.setup) this.#refuse({ code: 1007, reason: 'setup must be the first message' });
    else this.#start(message.setup);
  }

  #start(setup: Setup): void {
    const traits = this.#context.refusalOfKey(this.#key) ?? checkModel(setup);
    if ('reason' in traits) {
      this.#refuse(traits);
      return;
    }
    const kept = this.#resumed(setup);
    if (!kept) {
      this.#refuse(INVALID_ARGUMENT);
      return;
    }
    const context = this.#context;
    const instruction = setup.systemInstruction?.parts.map((part) => part.text).join('\n');
    const memory = { ...kept.memory, ...(instruction === undefined ? {} : { instruction }) };
    if (!setup.contextWindowCompression) {
      // How the original ends a session that is too long is not documented.
      this.#after(context.sessionLifeMs - (context.clock.monotonic() - kept.startedAt), () => this.expire());
    }
    this.#send({ setupComplete: {} });
    const { goAwayAtOnceMs } = context.answering.faults;
    if (goAwayAtOnceMs !== undefined) this.goAway(goAwayAtOnceMs);
    this.#session = new LiveSession({
      setup,
      traits,
      memory,
      phrases: context.phrases,
      sounds: context.sounds,
      context: context.answering,
      transcriptionDelayMs: context.transcriptionDelayMs,
      send: (message) => this.#send(message),
      refuse: (refusal) => this.#refuse(refusal),
      tear: () => this.tear(),
      keep: (latest) =>
        setup.sessionResumption ? context.keep({ memory: latest, startedAt: kept.startedAt }) : undefined,
    });
  }

  #resumed(setup: Setup): KeptSession | undefined {
    const handle = setup.sessionResumption?.handle;
    if (handle === undefined) return { memory: EMPTY_MEMORY, startedAt: this.#context.clock.monotonic() };
    const kept = this.#context.recall(handle);
    if (kept) this.#context.counters.resumed += 1;
    return kept;
  }

  #send(message: ServerMessage): void {
    if (this.#closing || this.#socket.readyState !== this.#socket.OPEN) return;
    // Binary frames of JSON, as the original's.
    this.#socket.send(Buffer.from(JSON.stringify(message)), { binary: true });
  }

  #refuse({ code, reason }: Refusal): void {
    if (this.#closing) return;
    this.#closing = true;
    if (code !== 1011) this.#context.counters.violations += 1;
    this.#socket.close(code, reason.slice(0, LONGEST_REASON));
    this.#release();
  }

  #after(delayMs: number, task: () => void): void {
    if (delayMs >= 2 ** 31) return;
    this.#timers.push(this.#context.clock.schedule(Math.max(0, delayMs), task));
  }

  #release(): void {
    this.#closing = true;
    this.#session?.close();
    for (const timer of this.#timers) timer.cancel();
  }
}
