import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@voice/shared/clock/clock';
import { type CallEvent, type CallEventBody, callEvent } from '@voice/shared/contracts/call-events';
import type { Log } from '@voice/shared/log/log';

const SUFFIX = '.events.ndjson';
/** Events that stay in memory alone while the disk is full: about 20 MB. */
const MAX_UNWRITTEN = 20_000;

interface CallSpool {
  readonly file: string;
  fd: number | undefined;
  /** Length of the file up to its last whole line. */
  bytes: number;
  /** A write came half through and could not be taken back. */
  torn: boolean;
  /** Number of the last event that is in the file. */
  writtenSeq: number;
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
  readonly onEvent: (kind: CallEvent['kind']) => void;
  /** An event could not be written; `catchUp` is to be tried from then on. */
  readonly onUnwritable?: (error: unknown) => void;
  /** Events that may stay in memory alone. */
  readonly maxUnwritten?: number;
}

/**
 * Keeps the events of this worker's calls on disk until the control plane has them: a killed process loses none,
 * because each is written before it is published. One file a call, removed when the call has ended and all was
 * accepted. On a full disk they stay in memory, a bounded number of them, and are written when there is room.
 */
export class EventSpool {
  readonly #options: EventSpoolOptions;
  readonly #calls = new Map<string, CallSpool>();
  /** Files of which everything was accepted, by call; removed beside the main thread, which has calls to serve. */
  readonly #removing = new Map<string, Promise<void>>();
  #unwritten = 0;
  #dropped = 0;

  constructor(options: EventSpoolOptions) {
    this.#options = options;
    mkdirSync(options.dir, { recursive: true });
    this.#readLeftovers();
  }

  /** Numbers, stamps and writes an event; the event as written. */
  append(callId: string, body: CallEventBody): CallEvent {
    const spool = this.#calls.get(callId) ?? this.#open(callId);
    const { maxUnwritten = MAX_UNWRITTEN } = this.#options;
    const kept = this.#unwritten < maxUnwritten || body.kind === 'ended';
    const event = {
      ...body,
      call_id: callId,
      seq: kept ? spool.nextSeq++ : spool.nextSeq,
      at: this.#options.clock.now(),
    } as CallEvent;
    if (!kept) {
      this.#dropped++;
      return event;
    }
    spool.pending.set(event.seq, event);
    // One after another: what waits for room goes first.
    if (spool.writtenSeq < event.seq - 1 && this.#waits(spool, event.seq - 1)) this.#unwritten++;
    else if (!this.#write(spool, event)) this.#unwritten++;
    if (event.kind === 'ended') {
      spool.ended = true;
      this.#closeFile(spool);
    }
    this.#options.onEvent(event.kind);
    return event;
  }

  /** Writes what stayed in memory; false when some of it still cannot be written. */
  catchUp(): boolean {
    for (const spool of this.#calls.values()) {
      for (const event of spool.pending.values()) {
        if (event.seq <= spool.writtenSeq) continue;
        if (!this.#write(spool, event)) return false;
        this.#unwritten--;
      }
      if (spool.ended) this.#closeFile(spool);
    }
    return true;
  }

  /** Returns how many events are in memory alone. */
  get unwrittenCount(): number {
    return this.#unwritten;
  }

  /** Returns how many events were dropped because too many were in memory alone. */
  get droppedCount(): number {
    return this.#dropped;
  }

  /** Returns one call's events that are not yet accepted, in order. */
  pendingOf(callId: string): Iterable<CallEvent> {
    return this.#calls.get(callId)?.pending.values() ?? [];
  }

  /** Returns up to `limit` events not yet accepted, of all calls, each call's in order. */
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

  /** Returns calls that have events which are not yet accepted. */
  pendingCalls(): string[] {
    return [...this.#calls].flatMap(([callId, { pending }]) => (pending.size > 0 ? [callId] : []));
  }

  get pendingCount(): number {
    let count = 0;
    for (const spool of this.#calls.values()) count += spool.pending.size;
    return count;
  }

  /** Removes an event that the control plane has for good, or will never take. */
  forget(callId: string, seq: number): void {
    const spool = this.#calls.get(callId);
    if (!spool?.pending.delete(seq)) return;
    if (seq > spool.writtenSeq) this.#unwritten--;
    if (spool.pending.size > 0 || !spool.ended) return;
    this.#calls.delete(callId);
    this.#remove(callId, spool);
  }

  /** Closes all files when those that are not needed any more are gone. */
  async close(): Promise<void> {
    await Promise.all(this.#removing.values());
    for (const spool of this.#calls.values()) this.#closeFile(spool);
  }

  #remove(callId: string, { file }: CallSpool): void {
    const removing = rm(file, { force: true })
      .catch((error: unknown) => {
        // The next process with this folder sends them again, and the control plane has them.
        this.#options.log.warn({ file, error: String(error) }, 'accepted events cannot be removed');
      })
      .then(() => {
        this.#removing.delete(callId);
        if (this.#calls.has(callId)) this.catchUp();
      });
    this.#removing.set(callId, removing);
  }

  /** Returns whether an event up to this number is still to be written. */
  #waits(spool: CallSpool, upTo: number): boolean {
    for (const seq of spool.pending.keys()) {
      if (seq > spool.writtenSeq && seq <= upTo) return true;
    }
    return false;
  }

  /** Appends the event's line, the whole of it or nothing. */
  #write(spool: CallSpool, event: CallEvent): boolean {
    // What was written to the file of before would be removed with it.
    if (this.#removing.has(event.call_id)) return false;
    try {
      spool.fd ??= openSync(spool.file, 'a', 0o600);
      const line = Buffer.from(`${spool.torn ? '\n' : ''}${JSON.stringify(event)}\n`);
      for (let at = 0; at < line.length; ) at += writeSync(spool.fd, line, at);
      spool.torn = false;
      spool.bytes += line.length;
      spool.writtenSeq = event.seq;
      return true;
    } catch (error) {
      this.#takeBack(spool);
      this.#closeFile(spool);
      this.#options.onUnwritable?.(error);
      return false;
    }
  }

  #takeBack(spool: CallSpool): void {
    if (spool.fd === undefined) return;
    try {
      ftruncateSync(spool.fd, spool.bytes);
    } catch {
      spool.torn = true;
    }
  }

  #closeFile(spool: CallSpool): void {
    if (spool.fd === undefined) return;
    try {
      closeSync(spool.fd);
    } catch (error) {
      this.#options.onUnwritable?.(error);
    }
    spool.fd = undefined;
  }

  #open(callId: string): CallSpool {
    const spool: CallSpool = {
      file: join(this.#options.dir, `${callId}${SUFFIX}`),
      fd: undefined,
      bytes: 0,
      torn: false,
      writtenSeq: 0,
      nextSeq: 1,
      ended: false,
      pending: new Map(),
    };
    this.#calls.set(callId, spool);
    return spool;
  }

  /** Reads what a killed predecessor had not got accepted. Its calls are over: the control plane ends them. */
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
          spool.writtenSeq = Math.max(spool.writtenSeq, event.seq);
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
