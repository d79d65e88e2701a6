import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import { type DurableLiveEvent, durableLiveEvent } from '@voice/shared/contracts/durable-live-event';
import { type LiveEvent, liveEvent } from '@voice/shared/contracts/live-events';
import type { TenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import { isTerminal } from '../../calls/record/call-state.js';
import { type CallSnapshot, type CallWatches, type StatusEvent, statusesOf } from './call-watches.js';
import { type WorkerAddress, WorkerSocket } from './worker-socket.js';

/** How long the last events of a call that is over are waited for, in ms. */
const LAST_EVENTS_MS = 2000;
/** Between two tries to read the stored events, in ms. */
const READ_RETRY_MS = 500;

/** Who follows a call. Neither may throw. */
export interface Viewer {
  send(event: LiveEvent): void;
  /** The call is over and its events are all sent. */
  end(): void;
}

interface Joined {
  readonly viewer: Viewer;
  readonly resumed: boolean;
  /** The number of the last durable event that it has. */
  lastSeq: number;
}

export interface CallFeedOptions {
  readonly tenant: TenantId;
  readonly callId: string;
  readonly watches: CallWatches;
  /** The call's stored events after a number, in order. */
  readonly storedAfter: (tenant: TenantId, callId: string, seq: number) => Promise<readonly CallEvent[]>;
  readonly workerAddress: WorkerAddress;
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Log;
  /** The call is over and every listener has its end: the feed is of no use any more. */
  readonly onFinished: () => void;
}

/**
 * One followed call at this replica, for all its viewers: the worker's push, the stored events behind it, and the
 * status, brought into one order. Durable events are kept while anybody follows, so that who joins or comes back
 * gets them without another read. Whenever the worker is connected anew the store is read up to there, for what was
 * accepted in between; what it has not accepted yet, the worker sends first.
 */
export class CallFeed {
  readonly #options: CallFeedOptions;
  readonly #viewers = new Set<Joined>();
  readonly #durable: DurableLiveEvent[] = [];
  readonly #moment = new Map<string, LiveEvent>();
  readonly #worker: WorkerSocket;
  readonly #unwatch: () => void;
  #statuses: StatusEvent[] = [];
  #lastSeq = 0;
  /** The stored events have been read once, and the status: viewers can be served. */
  #ready = false;
  #reading = false;
  #readAgain = false;
  /** Durable events of the worker that came while the store was read. */
  #waiting: DurableLiveEvent[] = [];
  #over: CallSnapshot | undefined;
  #overTimer: Timer | undefined;
  #retry: Timer | undefined;
  #closed = false;

  constructor(options: CallFeedOptions) {
    this.#options = options;
    const { tenant, callId, watches, workerAddress: address, secret, clock } = options;
    this.#worker = new WorkerSocket({
      path: () => `/control/calls/${callId}/live?after_seq=${this.#lastSeq}`,
      address,
      secret,
      clock,
      onOpen: () => this.#read(),
      onText: (text) => this.#receive(text),
      onEnded: () => this.#finishSoon(0),
    });
    this.#unwatch = watches.watch(tenant, callId, (call) => this.#changed(call));
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  /** Sends all that has happened (after a number, for who comes back), then what happens. Returns how to leave. */
  join(viewer: Viewer, afterSeq: number | undefined): () => void {
    const joined: Joined = { viewer, resumed: afterSeq !== undefined, lastSeq: afterSeq ?? 0 };
    this.#viewers.add(joined);
    if (this.#ready) this.#catchUp(joined);
    return () => this.#viewers.delete(joined);
  }

  /** Nobody follows any more, or the replica stops: viewers that are left see their stream end. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unwatch();
    this.#overTimer?.cancel();
    this.#retry?.cancel();
    this.#worker.close();
    for (const { viewer } of [...this.#viewers]) viewer.end();
    this.#viewers.clear();
  }

  #changed(call: CallSnapshot): void {
    if (this.#closed || this.#over) return;
    const known = this.#statuses.length;
    const statuses = statusesOf(call);
    if (isTerminal(call.status)) {
      // Sent last, when everything before it has been.
      this.#over = call;
      statuses.pop();
    } else this.#worker.setWorker(call.worker_id);
    this.#statuses = statuses;
    if (this.#ready) for (const status of statuses.slice(known)) this.#broadcast(status);
    const mayHaveMore = this.#worker.isActive && call.started_at !== null;
    if (this.#over) this.#finishSoon(mayHaveMore ? LAST_EVENTS_MS : 0);
    else if (!this.#ready) this.#read();
  }

  /** Reads what the store has after the last known event, then lets through what the worker has sent meanwhile. */
  #read(): void {
    if (this.#closed) return;
    if (this.#reading) {
      this.#readAgain = true;
      return;
    }
    this.#reading = true;
    const { storedAfter, tenant, callId, clock, log } = this.#options;
    storedAfter(tenant, callId, this.#lastSeq).then(
      (stored) => {
        this.#reading = false;
        if (this.#closed) return;
        for (const event of stored) this.#take(durableLiveEvent(event));
        if (this.#readAgain) {
          // What the worker has sent may lie behind events that this read did not see yet.
          this.#readAgain = false;
          this.#read();
          return;
        }
        for (const event of this.#waiting.splice(0).sort((a, b) => a.seq - b.seq)) this.#take(event);
        this.#becomeReady();
        if (this.#over && !this.#overTimer) this.#finish(this.#over);
      },
      (error: unknown) => {
        this.#reading = false;
        if (this.#closed) return;
        log.warn(
          { call_id: callId, error: String(error) },
          'the events of a followed call could not be read',
        );
        this.#retry?.cancel();
        this.#retry = clock.schedule(READ_RETRY_MS, () => this.#read());
      },
    );
  }

  #becomeReady(): void {
    if (this.#ready) return;
    this.#ready = true;
    for (const joined of this.#viewers) this.#catchUp(joined);
  }

  #receive(text: string): void {
    const parsed = liveEvent.safeParse(parseJson(text));
    if (!parsed.success) {
      this.#options.log.warn({ call_id: this.#options.callId }, 'a worker sent what is no live event');
      return;
    }
    const event = parsed.data;
    const seq = 'seq' in event ? event.seq : undefined;
    if (seq !== undefined) {
      const durable = { ...event, seq } as DurableLiveEvent;
      if (this.#reading || !this.#ready) this.#waiting.push(durable);
      else this.#take(durable);
      if (event.type === 'ended') this.#finishSoon(0);
      return;
    }
    if (event.type === 'state') this.#moment.set('state', event);
    if (event.type === 'transcript') {
      if (event.final) this.#moment.delete(event.role);
      else this.#moment.set(event.role, event);
    }
    if (this.#ready) this.#broadcast(event);
  }

  #take(event: DurableLiveEvent | undefined): void {
    if (!event || event.seq <= this.#lastSeq) return;
    this.#lastSeq = event.seq;
    this.#durable.push(event);
    for (const joined of this.#viewers) if (this.#ready) sendDurable(joined, event);
  }

  #catchUp(joined: Joined): void {
    const { viewer, resumed } = joined;
    const statuses = resumed ? this.#statuses.slice(-1) : this.#statuses;
    for (const status of statuses) viewer.send(status);
    for (const event of this.#durable) sendDurable(joined, event);
    for (const event of this.#moment.values()) viewer.send(event);
  }

  #broadcast(event: LiveEvent): void {
    for (const { viewer } of this.#viewers) viewer.send(event);
  }

  /** The worker's last word may come by its push or by the store, before or after the status. */
  #finishSoon(inMs: number): void {
    if (!this.#over || this.#closed) return;
    this.#overTimer?.cancel();
    this.#overTimer = undefined;
    const hasEnded = this.#durable.at(-1)?.type === 'ended';
    if (inMs === 0 || hasEnded) this.#read();
    else {
      this.#overTimer = this.#options.clock.schedule(inMs, () => {
        this.#overTimer = undefined;
        this.#read();
      });
    }
  }

  #finish(over: CallSnapshot): void {
    const last = statusesOf(over).at(-1);
    if (last) this.#broadcast(last);
    this.close();
    this.#options.onFinished();
  }
}

function sendDurable(joined: Joined, event: DurableLiveEvent): void {
  if (event.seq <= joined.lastSeq) return;
  joined.lastSeq = event.seq;
  joined.viewer.send(event);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
