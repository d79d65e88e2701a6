import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@voice/shared/clock/clock';
import { type CallEvent, type CallEventBody, callEvent } from '@voice/shared/contracts/call-events';
import type { Log } from '@voice/shared/log/log';
import type { Disk } from '../disk/port.js';

const SUFFIX = '.events.ndjson';
/** Events that stay in memory alone while the disk is full or does not keep up: about 20 MB. */
const MAX_UNWRITTEN = 20_000;

interface CallSpool {
  readonly path: string;
  /** Its number while it is open. */
  file: number | undefined;
  /** Ends with what is being done on the disk for this call; never rejects. */
  working: Promise<void>;
  /** Length of the file up to its last whole line. */
  bytes: number;
  /** A write came half through and could not be taken back. */
  torn: boolean;
  /** Number of the last event that is in the file. */
  writtenSeq: number;
  /** How many of those that are pending are not in the file. */
  unwritten: number;
  /** It is going to be written. */
  isQueued: boolean;
  /** It could not be written; it is tried again by `catchUp`. */
  isBlocked: boolean;
  nextSeq: number;
  ended: boolean;
  /** Not yet accepted, in order. */
  readonly pending: Map<number, CallEvent>;
}

export interface EventSpoolOptions {
  readonly dir: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly disk: Disk;
  /** Something new can be sent. */
  readonly onEvent: (kind: CallEvent['kind']) => void;
  /** An event could not be written; `catchUp` is to be tried from then on. */
  readonly onUnwritable?: (error: unknown) => void;
  /** Events that may stay in memory alone. */
  readonly maxUnwritten?: number;
}

/**
 * Keeps the events of this worker's calls on disk until the control plane has them: a killed process loses none of which
 * the control plane may know, because each is written before it is sent. One file a call, removed when the call has ended
 * and all was accepted. On a full disk they stay in memory, a bounded number of them, are sent from there, and are
 * written when there is room.
 *
 * The disk is waited for beside the main thread, which has calls to serve. For each call one thing is done at a time, in
 * the order in which it came: what comes of it meanwhile is written together.
 */
export class EventSpool {
  readonly #options: EventSpoolOptions;
  readonly #calls = new Map<string, CallSpool>();
  /** Calls whose file is being removed, until it is. */
  readonly #removing = new Map<string, Promise<void>>();
  #unwritten = 0;
  #dropped = 0;

  constructor(options: EventSpoolOptions) {
    this.#options = options;
    mkdirSync(options.dir, { recursive: true });
    this.#readLeftovers();
  }

  /** Numbers and stamps an event, which is then written and sent; the event as it will be. */
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
    this.#countUnwritten(spool, 1);
    spool.ended ||= event.kind === 'ended';
    // What waits for room goes first; it can be sent meanwhile.
    if (spool.isBlocked) this.#options.onEvent(event.kind);
    else this.#queue(spool);
    return event;
  }

  /** Writes what could not be written; false when some of it still cannot be. */
  async catchUp(): Promise<boolean> {
    for (const spool of this.#calls.values()) {
      if (!spool.isBlocked) continue;
      await this.#work(spool, () => this.#write(spool));
      if (spool.isBlocked) return false;
    }
    return true;
  }

  /** Resolves when all was written that can be, and what was accepted is removed. */
  async settled(): Promise<void> {
    const working = () => [
      ...Array.from(this.#calls.values(), (spool) => spool.working),
      ...this.#removing.values(),
    ];
    let before: readonly Promise<void>[] = [];
    for (let now = working(); now.some((work) => !before.includes(work)); now = working()) {
      await Promise.all(now);
      before = now;
    }
  }

  /** Returns how many events are in memory alone because they could not be written. */
  get unwrittenCount(): number {
    let count = 0;
    for (const { isBlocked, unwritten } of this.#calls.values()) if (isBlocked) count += unwritten;
    return count;
  }

  /** Returns how many events were dropped because too many were in memory alone. */
  get droppedCount(): number {
    return this.#dropped;
  }

  /** Returns one call's events that are not yet accepted, in order. */
  pendingOf(callId: string): Iterable<CallEvent> {
    return this.#calls.get(callId)?.pending.values() ?? [];
  }

  /** Returns up to `limit` events to be sent, of all calls, each call's in order: those that are being written are not. */
  pending(limit: number): CallEvent[] {
    const events: CallEvent[] = [];
    for (const spool of this.#calls.values()) {
      for (const event of spool.pending.values()) {
        if (events.length >= limit) return events;
        if (event.seq > spool.writtenSeq && !spool.isBlocked) break;
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
    if (seq > spool.writtenSeq) this.#countUnwritten(spool, -1);
    if (spool.pending.size > 0 || !spool.ended) return;
    this.#calls.delete(callId);
    const removed = this.#work(spool, () => this.#remove(spool));
    this.#removing.set(callId, removed);
    void removed.then(() => {
      if (this.#removing.get(callId) === removed) this.#removing.delete(callId);
    });
  }

  /** Closes all files when what can be written is, and those that are not needed any more are gone. */
  async close(): Promise<void> {
    await this.settled();
    for (const spool of this.#calls.values()) await this.#closeFile(spool);
  }

  #countUnwritten(spool: CallSpool, change: number): void {
    spool.unwritten += change;
    this.#unwritten += change;
  }

  #queue(spool: CallSpool): void {
    if (spool.isQueued) return;
    spool.isQueued = true;
    void this.#work(spool, () => this.#write(spool));
  }

  /** Does something on the disk when all before it is done for this call. Never rejects. */
  #work(spool: CallSpool, work: () => Promise<void>): Promise<void> {
    spool.working = spool.working.then(work).catch((error: unknown) => {
      this.#options.log.error({ error: String(error) }, 'the spool of events fails');
    });
    return spool.working;
  }

  async #remove(spool: CallSpool): Promise<void> {
    await this.#closeFile(spool);
    const { path } = spool;
    await this.#options.disk.remove(path).catch((error: unknown) => {
      // The next process with this folder sends them again, and the control plane has them.
      this.#options.log.warn({ file: path, error: String(error) }, 'accepted events cannot be removed');
    });
  }

  /** Appends the lines of what is not in the file, the whole of them or nothing. */
  async #write(spool: CallSpool): Promise<void> {
    // Those that `catchUp` tries again can be sent already.
    const areNew = spool.isQueued;
    spool.isQueued = false;
    const events = unwrittenOf(spool);
    const last = events.at(-1);
    if (!last) {
      spool.isBlocked = false;
    } else if (await this.#appendLines(spool, events)) {
      spool.writtenSeq = last.seq;
      spool.isBlocked = false;
      // Some of them may have been sent from memory, and be accepted.
      for (const { seq } of events) if (spool.pending.has(seq)) this.#countUnwritten(spool, -1);
    } else {
      spool.isBlocked = true;
    }
    if (spool.unwritten > 0 && !spool.isBlocked) this.#queue(spool);
    else if (spool.ended) await this.#closeFile(spool);
    if (areNew) for (const { kind } of events) this.#options.onEvent(kind);
  }

  async #appendLines(spool: CallSpool, events: readonly CallEvent[]): Promise<boolean> {
    const { disk } = this.#options;
    try {
      spool.file ??= await disk.open(spool.path, 'a');
      const text = events.map((event) => `${JSON.stringify(event)}\n`).join('');
      const lines = Buffer.from(spool.torn ? `\n${text}` : text);
      await disk.write(spool.file, lines, null);
      spool.torn = false;
      spool.bytes += lines.length;
      return true;
    } catch (error) {
      await this.#takeBack(spool);
      await this.#closeFile(spool);
      this.#options.onUnwritable?.(error);
      return false;
    }
  }

  async #takeBack(spool: CallSpool): Promise<void> {
    if (spool.file === undefined) return;
    try {
      await this.#options.disk.truncate(spool.file, spool.bytes);
    } catch {
      spool.torn = true;
    }
  }

  async #closeFile(spool: CallSpool): Promise<void> {
    const { file } = spool;
    if (file === undefined) return;
    spool.file = undefined;
    try {
      await this.#options.disk.close(file);
    } catch (error) {
      this.#options.onUnwritable?.(error);
    }
  }

  #open(callId: string): CallSpool {
    const spool: CallSpool = {
      path: join(this.#options.dir, `${callId}${SUFFIX}`),
      file: undefined,
      // A file of that name may still be on its way out.
      working: this.#removing.get(callId) ?? Promise.resolve(),
      bytes: 0,
      torn: false,
      writtenSeq: 0,
      unwritten: 0,
      isQueued: false,
      isBlocked: false,
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
      const text = readFileSync(spool.path);
      spool.bytes = text.length;
      for (const line of text.toString('utf8').split('\n')) {
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
        rmSync(spool.path, { force: true });
      }
    }
  }
}

/** Returns what of a call is pending and not in the file, in order. */
function unwrittenOf({ pending, writtenSeq, nextSeq }: CallSpool): CallEvent[] {
  const events: CallEvent[] = [];
  for (let seq = writtenSeq + 1; seq < nextSeq; seq++) {
    const event = pending.get(seq);
    if (event) events.push(event);
  }
  return events;
}

function parseEvent(line: string): CallEvent | undefined {
  try {
    return callEvent.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
