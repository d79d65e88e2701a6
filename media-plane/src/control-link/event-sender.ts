import type { Clock, Timer } from '@voice/shared/clock/clock';
import { type CallEvent, eventBatchReply } from '@voice/shared/contracts/call-events';
import type { Log } from '@voice/shared/log/log';
import type { ControlPlaneClient } from './control-plane-client.js';
import { ControlPlaneRefusal } from './control-plane-refusal.js';
import type { EventSpool } from './event-spool.js';

/** Events wait this long for company, so that a busy worker sends one request and not a hundred, in ms. */
const COALESCE_MS = 50;
/** So long wait those that are only kept: nothing of the call is moved by them. */
const COALESCE_RECORDS_MS = 500;
const RECORDS: ReadonlySet<CallEvent['kind']> = new Set([
  'turn',
  'turn_metrics',
  'tool_execution',
  'line_statistics',
]);
const RETRY_MIN_MS = 200;
const RETRY_MAX_MS = 5000;
const BATCH_LIMIT = 500;
/** Far less than the 32 MiB that the control plane takes: what it refused would be sent again, and hold up all calls. */
const BATCH_CHARACTERS = 4 * 1024 * 1024;

export interface EventSenderOptions {
  readonly client: ControlPlaneClient;
  readonly spool: () => EventSpool;
  readonly workerId: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Sends what the spool holds, in batches, until it was accepted. One request at a time. */
export class EventSender {
  readonly #options: EventSenderOptions;
  #timer: Timer | undefined;
  /** Whether what is scheduled waits for records alone. */
  #waitsForRecords = false;
  #sending: Promise<void> | undefined;
  #retryMs = RETRY_MIN_MS;
  #stopped = false;
  /** Fewer than `BATCH_LIMIT` while it is looked for the one that is refused, or where a proxy takes no more. */
  #most = BATCH_LIMIT;

  constructor(options: EventSenderOptions) {
    this.#options = options;
  }

  /** Wakes the sender: there is something to send, an event of this kind or events of a process before. */
  notify(kind?: CallEvent['kind']): void {
    const isRecord = kind !== undefined && RECORDS.has(kind);
    if (this.#waitsForRecords && !isRecord) {
      this.#timer?.cancel();
      this.#timer = undefined;
    }
    if (this.#timer) return;
    this.#schedule(isRecord ? COALESCE_RECORDS_MS : COALESCE_MS);
    this.#waitsForRecords = isRecord;
  }

  /** Sends until the spool is empty or the signal aborts; for the end of the process. */
  async flush(signal: AbortSignal): Promise<void> {
    const { spool, clock } = this.#options;
    while (!signal.aborted && spool().pendingCount > 0) {
      await this.#send();
      if (spool().pendingCount > 0) await clock.sleep(RETRY_MIN_MS, signal).catch(() => {});
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #schedule(delayMs: number): void {
    if (this.#timer || this.#stopped) return;
    this.#waitsForRecords = false;
    this.#timer = this.#options.clock.schedule(delayMs, () => {
      this.#timer = undefined;
      this.#waitsForRecords = false;
      void this.#send();
    });
  }

  async #send(): Promise<void> {
    this.#sending ??= this.#sendBatch().finally(() => {
      this.#sending = undefined;
    });
    await this.#sending;
  }

  async #sendBatch(): Promise<void> {
    const { client, workerId, log } = this.#options;
    const spool = this.#options.spool();
    const pending = spool.pending(this.#most);
    const events = textsOf(pending);
    if (events.length === 0) return;
    try {
      const reply = eventBatchReply.parse(
        await client.send({
          method: 'POST',
          path: '/internal/events',
          contentType: 'application/json',
          body: `{"worker_id":${JSON.stringify(workerId)},"events":[${events.join(',')}]}`,
          timeoutMs: 10_000,
        }),
      );
      for (const { call_id, seq } of reply.accepted) spool.forget(call_id, seq);
      for (const { call_id, seq, code } of reply.rejected) {
        log.error({ call_id, seq, reason: code }, 'the control plane refuses an event for good');
        spool.forget(call_id, seq);
      }
      this.#retryMs = RETRY_MIN_MS;
      this.#most = Math.min(BATCH_LIMIT, this.#most * 2);
      if (spool.pendingCount > 0) this.#schedule(COALESCE_MS);
    } catch (error) {
      if (error instanceof ControlPlaneRefusal && error.isForGood) {
        this.#leaveOut(pending.slice(0, events.length));
        return;
      }
      log.warn({ error: String(error), waiting: spool.pendingCount }, 'events wait for the control plane');
      if (isTooLargeForProxy(error) && events.length > 1) {
        this.#most = Math.ceil(events.length / 2);
        this.#schedule(COALESCE_MS);
        return;
      }
      this.#schedule(this.#retryMs);
      this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MAX_MS);
    }
  }

  /** Goes on without the event for which a request is refused, and finds it by halves: it must not hold up the others. */
  #leaveOut(events: readonly CallEvent[]): void {
    const [first] = events;
    if (first && events.length === 1) {
      const { call_id, seq, kind } = first;
      this.#options.log.error({ call_id, seq, kind }, 'the control plane refuses an event for good');
      this.#options.spool().forget(call_id, seq);
    }
    this.#most = events.length === 1 ? BATCH_LIMIT : Math.ceil(events.length / 2);
    this.#schedule(COALESCE_MS);
  }
}

/** Returns whether something before the control plane takes no body of this length: a shorter one may pass. Pure. */
function isTooLargeForProxy(error: unknown): boolean {
  return error instanceof ControlPlaneRefusal && error.status === 413 && error.givenCode === undefined;
}

/** Returns the first of the events as JSON, as many as go into one request; at least one. Pure. */
function textsOf(events: readonly CallEvent[]): string[] {
  const texts: string[] = [];
  let characters = 0;
  for (const event of events) {
    const text = JSON.stringify(event);
    characters += text.length;
    if (characters > BATCH_CHARACTERS && texts.length > 0) break;
    texts.push(text);
  }
  return texts;
}
