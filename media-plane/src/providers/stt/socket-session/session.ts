import type { LookupFunction } from 'node:net';
import { bytesPerMs } from '@voice/shared/audio/format';
import type { Timer } from '@voice/shared/clock/clock';
import { type Backoff, backoffMs } from '../../backoff.js';
import type { ProviderError } from '../../provider-error.js';
import { type ConnectionEnd, connectionError, ProviderSocket } from '../../provider-socket.js';
import { AudioRing } from '../audio-ring.js';
import type { SttEvent, SttOptions, SttSession } from '../port.js';
import type { Dialect, DialectOutput } from './dialect.js';

/** Audio kept for a connection that replaces a lost one, in ms. */
const RING_MS = 10_000;
/** Vendors close a connection without audio: the first of them after 10 s (Deepgram's NET-0001). */
const KEEP_ALIVE_MS = 4000;
/** Silence of the caller, in ms, behind which the vendor has said what it has to say of their words. */
const QUIET_AFTER_MS = 1500;
/** Unsent audio, in ms, from which a connection counts as stalled. */
const STALLED_MS = 10_000;

/**
 * A connection that was open for so long has not failed, in ms: while the phone rings, vendors without a keep-alive end
 * one after another that nothing was said over.
 */
const SOUND_AFTER_MS = 5000;

export interface SocketSessionSettings {
  readonly provider: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Resolves the host's name; the egress guard's for an address that a tenant named. */
  readonly lookup?: LookupFunction | undefined;
  /** Creates what one connection needs to know. */
  readonly createDialect: () => Dialect;
  readonly backoff: Backoff;
  /** 0..1, for the spread of reconnections. */
  readonly random: () => number;
  /** Default: false. */
  readonly writesAtEnd?: boolean;
}

/** Runs one call's connection to a recogniser, replaced when it is lost and fed what was not yet final. */
export class SocketSession implements SttSession {
  readonly #options: SttOptions;
  readonly #settings: SocketSessionSettings;
  readonly #ring: AudioRing;
  readonly #bytesPerMs: number;
  #dialect: Dialect;
  #socket: ProviderSocket | undefined;
  /** Position of the call's audio at which the present connection's audio began, in ms. */
  #baseMs = 0;
  #sentMs = 0;
  /** Audio that waits until a message is full, and of how many bytes that is. */
  #chunk: Uint8Array | undefined;
  #chunkLength = 0;
  #chunkBytes = 0;
  /** Memory of a message that is on its way, to be filled again. */
  #sentChunk: Uint8Array | undefined;
  #isCallerSpeaking = false;
  /** Where the caller fell silent, in ms of the call's audio. */
  #silentFromMs = 0;
  #lastSentAt = 0;
  #failures = 0;
  /** When the present connection was opened; monotonic. */
  #openedAt: number | undefined;
  #finalizePending = false;
  #closed = false;
  #keepAlive: Timer | undefined;
  #reconnect: Timer | undefined;

  constructor(options: SttOptions, settings: SocketSessionSettings) {
    this.#options = options;
    this.#settings = settings;
    this.#ring = new AudioRing(RING_MS, options.format);
    this.#bytesPerMs = bytesPerMs(options.format);
    this.#dialect = settings.createDialect();
    this.#connect();
  }

  get audioMs(): number {
    return this.#sentMs;
  }

  get writesAtEnd(): boolean {
    return this.#settings.writesAtEnd ?? false;
  }

  write(frame: Uint8Array): void {
    if (this.#closed) return;
    this.#ring.push(frame);
    const socket = this.#socket;
    if (!socket?.open) return;
    if (socket.buffered > STALLED_MS * this.#bytesPerMs) {
      socket.terminate();
      this.#lost({ opened: true, closeCode: 1006, reason: 'the connection does not take our audio' });
      return;
    }
    this.#append(socket, frame);
  }

  voiceActivity(speaking: boolean): void {
    if (this.#closed) return;
    this.#isCallerSpeaking = speaking;
    if (!speaking) this.#silentFromMs = this.#ring.endMs;
    if (!speaking || !this.#socket) return;
    // One that has died unseen takes the audio and says nothing: a single word would never show that.
    this.#socket.probe(this.#options.clock);
    this.#chunkBytes = this.#bytesOf(this.#dialect.chunkMs);
    if (this.#chunkLength >= this.#chunkBytes) this.#sendChunk(this.#socket);
  }

  finalize(): void {
    if (this.#closed) return;
    if (this.#socket) this.#sendChunk(this.#socket);
    const message = this.#dialect.finalize();
    if (message === undefined) return;
    this.#finalizePending = true;
    this.#socket?.send(message);
  }

  close(): void {
    if (this.#closed) return;
    const socket = this.#socket;
    if (socket?.open) this.#sendChunk(socket);
    this.#release();
    if (!socket) return;
    if (!socket.open) {
      socket.terminate();
      return;
    }
    if (this.#dialect.closeStream !== undefined) socket.send(this.#dialect.closeStream);
    socket.close();
  }

  #connect(): void {
    const { url, headers, lookup } = this.#settings;
    const socket: ProviderSocket = new ProviderSocket({
      url,
      headers,
      ...(lookup ? { lookup } : {}),
      events: {
        onOpen: () => this.#opened(socket),
        onText: (text) => this.#received(text),
        onEnd: (end) => {
          if (this.#socket === socket) this.#lost(end);
        },
      },
    });
    this.#socket = socket;
  }

  #opened(socket: ProviderSocket): void {
    this.#options.onSign?.('connected');
    this.#openedAt = this.#options.clock.monotonic();
    for (const message of this.#dialect.greeting ?? []) socket.send(message);
    this.#baseMs = this.#ring.startMs;
    for (const frame of this.#ring.frames()) this.#append(socket, frame);
    this.#sendChunk(socket);
    if (this.#finalizePending) this.finalize();
    this.#lastSentAt = this.#options.clock.monotonic();
    if (this.#dialect.keepAlive !== undefined) this.#scheduleKeepAlive(KEEP_ALIVE_MS);
  }

  #append(socket: ProviderSocket, frame: Uint8Array): void {
    for (let at = 0; at < frame.length; ) {
      this.#chunk ??= this.#newChunk();
      const length = Math.min(frame.length - at, this.#chunkBytes - this.#chunkLength);
      this.#chunk.set(length === frame.length ? frame : frame.subarray(at, at + length), this.#chunkLength);
      this.#chunkLength += length;
      at += length;
      if (this.#chunkLength === this.#chunkBytes) this.#sendChunk(socket);
    }
    this.#sentMs += frame.length / this.#bytesPerMs;
    this.#lastSentAt = this.#options.clock.monotonic();
  }

  #newChunk(): Uint8Array {
    const { chunkMs, quietChunkMs = chunkMs } = this.#dialect;
    const isQuiet = !this.#isCallerSpeaking && this.#ring.endMs - this.#silentFromMs > QUIET_AFTER_MS;
    this.#chunkBytes = this.#bytesOf(isQuiet ? quietChunkMs : chunkMs);
    const used = this.#sentChunk;
    this.#sentChunk = undefined;
    if (used && used.length >= this.#chunkBytes) return used;
    return new Uint8Array(this.#bytesOf(Math.max(chunkMs, quietChunkMs)));
  }

  #bytesOf(ms: number): number {
    return ms * this.#bytesPerMs;
  }

  #sendChunk(socket: ProviderSocket): void {
    if (!this.#chunk || this.#chunkLength < this.#bytesOf(this.#dialect.leastMs ?? 0)) return;
    const chunk = this.#chunk;
    const audio = chunk.subarray(0, this.#chunkLength);
    // `ws` may keep the bytes until the kernel takes them.
    socket.send(this.#dialect.encode?.(audio) ?? audio, () => {
      this.#sentChunk = chunk;
    });
    this.#dropChunk();
  }

  #dropChunk(): void {
    this.#chunk = undefined;
    this.#chunkLength = 0;
  }

  #scheduleKeepAlive(delayMs: number): void {
    this.#keepAlive = this.#options.clock.schedule(delayMs, () => {
      const quietMs = this.#options.clock.monotonic() - this.#lastSentAt;
      if (quietMs < KEEP_ALIVE_MS) {
        this.#scheduleKeepAlive(KEEP_ALIVE_MS - quietMs);
        return;
      }
      this.#socket?.send(this.#dialect.keepAlive!);
      this.#lastSentAt = this.#options.clock.monotonic();
      this.#scheduleKeepAlive(KEEP_ALIVE_MS);
    });
  }

  #received(text: string): void {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      // No sign of life: who says nothing else is as good as mute.
      this.#options.log.warn({ provider: this.#settings.provider }, 'speech-to-text message is not JSON');
      return;
    }
    this.#options.onSign?.('alive');
    for (const output of this.#dialect.decode(message)) {
      if (this.#closed) return;
      this.#take(output);
    }
  }

  #take(output: DialectOutput): void {
    switch (output.type) {
      case 'settled':
        this.#failures = 0;
        this.#ring.trim(this.#baseMs + output.beforeMs);
        if (output.fromFinalize) this.#finalizePending = false;
        return;
      case 'provider_error':
        this.#options.log.warn(
          { provider: this.#settings.provider, error_code: output.code, error: output.message },
          'speech-to-text provider reports an error',
        );
        return;
      case 'transcript':
        this.#failures = 0;
        if (output.final) this.#finalizePending = false;
        this.#emit({
          ...output,
          startMs: this.#baseMs + output.startMs,
          endMs: this.#baseMs + output.endMs,
        });
        return;
      case 'speech_started':
        this.#emit({ ...output, atMs: this.#baseMs + output.atMs });
        return;
      case 'end_of_turn':
      case 'eager_end_of_turn':
      case 'turn_resumed':
        this.#emit(output);
        return;
      case 'failed':
        this.#socket?.terminate();
        this.#fail(output.error);
    }
  }

  #lost(end: ConnectionEnd): void {
    this.#socket = undefined;
    // It is in the ring, and goes up with the next connection.
    this.#sentMs -= this.#chunkLength / this.#bytesPerMs;
    this.#dropChunk();
    this.#keepAlive?.cancel();
    if (this.#closed) return;
    this.#options.onSign?.('disconnected');
    const livedMs = this.#openedAt === undefined ? 0 : this.#options.clock.monotonic() - this.#openedAt;
    this.#openedAt = undefined;
    this.#failures = livedMs >= SOUND_AFTER_MS ? 1 : this.#failures + 1;
    const error = this.#dialect.errorOfEnd?.(end) ?? connectionError('stt', this.#settings.provider, end);
    const fields = {
      provider: this.#settings.provider,
      error_code: error.code,
      reason: end.reason,
      failures: this.#failures,
    };
    if (!error.retryable || this.#failures >= this.#settings.backoff.maxFailures) {
      this.#options.log.error(fields, 'speech-to-text failed');
      this.#fail(error);
      return;
    }
    this.#options.log.warn(fields, 'speech-to-text connection lost; reconnecting');
    const delayMs = backoffMs(this.#settings.backoff, this.#failures, this.#settings.random());
    this.#reconnect = this.#options.clock.schedule(delayMs, () => {
      this.#dialect = this.#settings.createDialect();
      this.#connect();
    });
  }

  #fail(error: ProviderError): void {
    this.#release();
    this.#options.onEvent({ type: 'failed', error });
  }

  #emit(event: SttEvent): void {
    this.#options.onEvent(event);
  }

  #release(): void {
    this.#closed = true;
    this.#socket = undefined;
    this.#keepAlive?.cancel();
    this.#reconnect?.cancel();
    this.#ring.clear();
  }
}
