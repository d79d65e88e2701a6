import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@voice/shared/clock/clock';
import { type CallEvent, type CallEventBody, callEvent } from '@voice/shared/contracts/call-events';
import type { Log } from '@voice/shared/log/log';

const SUFFIX = '.events.ndjson';

interface CallSpool {
  readonly file: string;
  fd: number | undefined;
  nextSeq: number;
  ended: boolean;
  /** Not yet accepted, in order. */
  readonly pending: Map<number, CallEvent>;
}

export interface EventSpoolOptions {
  readonly dir: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Something new waits to be sent. */
  readonly onEvent: () => void;
}

/**
 * The events of this worker's calls, on disk until the control plane has them: a killed process loses
 * none, because each is written before anybody is told of it. One file a call, removed when the call has
 * ended and all was accepted.
 */
export class EventSpool {
  readonly #options: EventSpoolOptions;
  readonly #calls = new Map<string, CallSpool>();

  constructor(options: EventSpoolOptions) {
    this.#options = options;
    mkdirSync(options.dir, { recursive: true });
    this.#readLeftovers();
  }

  /** Numbers, stamps and writes an event. */
  append(callId: string, body: CallEventBody): void {
    const spool = this.#calls.get(callId) ?? this.#open(callId);
    const event = {
      ...body,
      call_id: callId,
      seq: spool.nextSeq++,
      at: this.#options.clock.now(),
    } as CallEvent;
    spool.fd ??= openSync(spool.file, 'a', 0o600);
    writeSync(spool.fd, `${JSON.stringify(event)}\n`);
    spool.pending.set(event.seq, event);
    if (event.kind === 'ended') {
      spool.ended = true;
      closeSync(spool.fd);
      spool.fd = undefined;
    }
    this.#options.onEvent();
  }

  /** Up to `limit` events not yet accepted, of all calls, each call's in order. */
  pending(limit: number): CallEvent[] {
    const events: CallEvent[] = [];
    for (const spool of this.#calls.values()) {
      for (const event of spool.pending.values()) {
        if (events.length >= limit) return events;
        events.push(event);
      }
    }
    return events;
  }

  get pendingCount(): number {
    let count = 0;
    for (const spool of this.#calls.values()) count += spool.pending.size;
    return count;
  }

  /** The control plane has this event for good, or will never take it. */
  forget(callId: string, seq: number): void {
    const spool = this.#calls.get(callId);
    if (!spool?.pending.delete(seq) || spool.pending.size > 0 || !spool.ended) return;
    this.#calls.delete(callId);
    rmSync(spool.file, { force: true });
  }

  close(): void {
    for (const spool of this.#calls.values()) {
      if (spool.fd !== undefined) closeSync(spool.fd);
      spool.fd = undefined;
    }
  }

  #open(callId: string): CallSpool {
    const spool: CallSpool = {
      file: join(this.#options.dir, `${callId}${SUFFIX}`),
      fd: undefined,
      nextSeq: 1,
      ended: false,
      pending: new Map(),
    };
    this.#calls.set(callId, spool);
    return spool;
  }

  /** What a killed predecessor had not got accepted. Its calls are over: the control plane ends them. */
  #readLeftovers(): void {
    for (const name of readdirSync(this.#options.dir)) {
      if (!name.endsWith(SUFFIX)) continue;
      const spool = this.#open(name.slice(0, -SUFFIX.length));
      spool.ended = true;
      for (const line of readFileSync(spool.file, 'utf8').split('\n')) {
        const event = parseEvent(line);
        if (event) {
          spool.pending.set(event.seq, event);
          spool.nextSeq = Math.max(spool.nextSeq, event.seq + 1);
        } else if (line !== '') {
          this.#options.log.warn({ file: name }, 'a spooled event was cut off by a crash and is dropped');
        }
      }
      if (spool.pending.size === 0) {
        this.#calls.delete(name.slice(0, -SUFFIX.length));
        rmSync(spool.file, { force: true });
      }
    }
  }
}

function parseEvent(line: string): CallEvent | undefined {
  try {
    return callEvent.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
