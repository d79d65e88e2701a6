import type { LookupFunction } from 'node:net';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { Log } from '@voice/shared/log/log';
import { type Backoff, backoffMs } from '../../backoff.js';
import type { ProviderError } from '../../provider-error.js';
import { liveError, PROVIDER } from './errors.js';
import { LiveConnection } from './live-connection.js';
import { durationMs, type ServerMessage } from './messages.js';
import { Outbox, type OutboxMessage } from './outbox.js';

/** How long before the announced end a connection is replaced although somebody speaks, in ms. */
const LATEST_BEFORE_END_MS = 5000;

export interface ResumableLinkOptions {
  readonly url: URL;
  readonly lookup: LookupFunction | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly backoff: Backoff;
  setup(handle: string | undefined): Record<string, unknown>;
  /** Sent first, over the first connection only. */
  readonly opening: readonly OutboxMessage[];
  onReady(): void;
  onMessage(message: ServerMessage): void;
  /** Called when `audioMs` of the caller's audio went out. */
  onSent(audioMs: number): void;
  /**
   * Called when a connection was lost within a conversation; the next one resumes the session. What must be sent again
   * is sent now.
   */
  onLost(error: ProviderError): void;
  /** Called when the session will end, and cannot be resumed. */
  onExpiring(inMs: number): void;
  onFailed(error: ProviderError): void;
  /** Returns whether nobody speaks and nothing is waited for. */
  isQuiet(): boolean;
}

/**
 * Connects a session to the Live API. A connection lives for about ten minutes, a session longer: before a connection
 * ends, and when it is lost, another one resumes the session by its handle.
 */
export class ResumableLink {
  readonly #options: ResumableLinkOptions;
  readonly #outbox = new Outbox();
  #connection: LiveConnection | undefined;
  #handle: string | undefined;
  /** Whether the handle is of now: while the model generates, the service gives none. */
  #resumable = false;
  #started = false;
  /** Whether the present connection has taken part in the conversation. */
  #live = false;
  #closed = false;
  #failures = 0;
  #renewalDue = false;
  #latest: Timer | undefined;
  #retry: Timer | undefined;

  constructor(options: ResumableLinkOptions) {
    this.#options = options;
    for (const message of options.opening) this.#outbox.push(message);
    this.#connect();
  }

  send(message: OutboxMessage): void {
    if (this.#closed) return;
    if (!this.#connection?.ready) this.#outbox.push(message);
    else this.#write(this.#connection, message);
  }

  /** Finds out whether the connection has died unseen; another one then resumes the session. */
  probe(): void {
    this.#connection?.probe();
  }

  /** Replaces the connection by one with a new set-up, at the next quiet moment. */
  renewWhenQuiet(): void {
    this.#renewalDue = true;
    this.quiet();
  }

  /** Renews the connection, if one is due and nothing would be forgotten: this may be a quiet moment. */
  quiet(): void {
    if (this.#renewalDue && this.#resumable && this.#connection?.ready && this.#options.isQuiet()) {
      this.#renew();
    }
  }

  close(): void {
    this.#closed = true;
    this.#latest?.cancel();
    this.#retry?.cancel();
    this.#connection?.close();
  }

  #connect(): void {
    const { url, lookup, clock, log } = this.#options;
    const handle = this.#handle;
    const connection: LiveConnection = new LiveConnection({
      url,
      lookup,
      clock,
      log,
      setup: this.#options.setup(handle),
      onReady: () => this.#ready(connection),
      onMessage: (message) => this.#received(message),
      onEnd: (error) => this.#ended(error, handle),
    });
    this.#connection = connection;
  }

  #ready(connection: LiveConnection): void {
    this.#failures = 0;
    this.#live = true;
    if (!this.#started) {
      this.#started = true;
      this.#options.onReady();
    }
    for (const message of this.#outbox.take()) this.#write(connection, message);
  }

  #write(connection: LiveConnection, { text, audioMs }: OutboxMessage): void {
    connection.send(text);
    if (audioMs > 0) this.#options.onSent(audioMs);
  }

  #received(message: ServerMessage): void {
    if (this.#closed) return;
    const { sessionResumptionUpdate: update, goAway } = message;
    if (update) this.#resumable = update.resumable && Boolean(update.newHandle);
    if (update?.resumable && update.newHandle) this.#handle = update.newHandle;
    if (goAway) this.#goAway(durationMs(goAway.timeLeft));
    this.#options.onMessage(message);
    if (update) this.quiet();
  }

  #goAway(inMs: number): void {
    this.#options.log.info({ provider: PROVIDER, in_ms: inMs }, 'realtime connection will end');
    if (this.#handle === undefined) {
      this.#options.onExpiring(inMs);
      return;
    }
    this.#latest?.cancel();
    this.#latest = this.#options.clock.schedule(Math.max(0, inMs - LATEST_BEFORE_END_MS), () => {
      this.#options.log.warn({ provider: PROVIDER }, 'realtime connection is replaced while somebody speaks');
      this.#lose(liveError('disconnected', 'gemini ended the connection', true));
      this.#renew();
    });
    this.renewWhenQuiet();
  }

  #renew(): void {
    this.#renewalDue = false;
    this.#latest?.cancel();
    // The service wants the old connection closed; what is said meanwhile is kept.
    this.#connection?.close();
    this.#live = false;
    this.#connect();
  }

  #ended(error: ProviderError, handle: string | undefined): void {
    if (this.#closed) return;
    const wasReady = this.#live;
    this.#latest?.cancel();
    this.#failures += 1;
    const refused = handle !== undefined && !wasReady && !error.retryable;
    const resumable = this.#handle !== undefined && error.retryable;
    if (!resumable || this.#failures >= this.#options.backoff.maxFailures) {
      // A handle that is refused ends this session only: a new one may know the call by its history.
      this.#options.onFailed(
        refused ? liveError('disconnected', 'gemini has lost the session', true, error) : error,
      );
      return;
    }
    this.#options.log.warn(
      { provider: PROVIDER, error_code: error.code, failures: this.#failures },
      'realtime connection lost; resuming the session',
    );
    this.#lose(error);
    const delayMs = backoffMs(this.#options.backoff, this.#failures, 0);
    this.#retry = this.#options.clock.schedule(delayMs, () => this.#connect());
  }

  #lose(error: ProviderError): void {
    this.#connection?.close();
    this.#connection = undefined;
    if (!this.#live) return;
    this.#live = false;
    this.#options.onLost(error);
  }
}
