import type { RespondRequest } from '../port.js';
import type { AgentAudio } from './agent-audio.js';

/** One item of a response's output. */
export interface OutputItem {
  readonly id: string;
  readonly kind: 'message' | 'call';
  /** Audio that came, also what was dropped because the response had been cancelled; in ms. */
  receivedMs: number;
  /** Whether anything of it was passed on. */
  passedOn: boolean;
  /** Taken out of the model's memory. */
  deleted: boolean;
}

/** A response from the time it is asked for, and what is known of its output after its end. */
export interface ResponseRecord {
  readonly number: number;
  readonly request: RespondRequest;
  /** Of the `response.create` that asked for it. */
  readonly eventId: string;
  readonly unasked: boolean;
  readonly audio: AgentAudio;
  readonly items: Map<string, OutputItem>;
  /** The service's id, once it has begun. */
  id: string | undefined;
  cancelled: boolean;
  /** How much of it the caller heard, in ms, once that is known to be less than all. */
  heardMs: number | undefined;
}

export type OutputEdit =
  | { readonly type: 'delete'; readonly itemId: string }
  | { readonly type: 'truncate'; readonly itemId: string; readonly audioEndMs: number };

/** Returns the record's item of this id, made when it is new. */
export function outputItem(record: ResponseRecord, id: string, kind: OutputItem['kind']): OutputItem {
  const known = record.items.get(id);
  if (known) return known;
  const item = { id, kind, receivedMs: 0, passedOn: false, deleted: false };
  record.items.set(id, item);
  return item;
}

/**
 * Computes what must happen to the model's memory so that it ends where the caller stopped hearing: what was heard in
 * part is cut there, what was not heard goes. Never beyond the audio that came, which the service would refuse.
 */
export function heardUntil(record: ResponseRecord, heardMs: number): OutputEdit[] {
  const edits: OutputEdit[] = [];
  let left = Math.max(0, heardMs);
  for (const item of record.items.values()) {
    if (item.deleted || item.kind !== 'message') continue;
    const heard = Math.floor(Math.min(left, item.receivedMs));
    left -= heard;
    if (heard === 0) {
      item.deleted = true;
      edits.push({ type: 'delete', itemId: item.id });
      // A cancelled response may have more audio at the service than ever came here.
    } else if (heard < Math.floor(item.receivedMs) || record.cancelled) {
      item.receivedMs = heard;
      edits.push({ type: 'truncate', itemId: item.id, audioEndMs: heard });
    }
  }
  return edits;
}

/** Returns what a cancelled response left at the service that nobody here ever saw. */
export function unseenOutput(record: ResponseRecord): OutputEdit[] {
  const edits: OutputEdit[] = [];
  for (const item of record.items.values()) {
    if (item.deleted || item.passedOn) continue;
    item.deleted = true;
    edits.push({ type: 'delete', itemId: item.id });
  }
  return edits;
}
