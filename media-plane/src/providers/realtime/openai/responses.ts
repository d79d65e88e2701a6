import type { AudioFormat } from '@voice/shared/audio/format';
import type { Clock, Timer } from '@voice/shared/clock/clock';
import type { RealtimeClientEvent } from 'openai/resources/realtime/realtime';
import type { ProviderError } from '../../provider-error.js';
import type { RealtimeEvent, RespondRequest } from '../port.js';
import { AgentAudio } from './agent-audio.js';
import { errorOfReport, realtimeError } from './errors.js';
import { responseCreate } from './messages.js';
import {
  heardUntil,
  type OutputEdit,
  outputItem,
  type ResponseRecord,
  unseenOutput,
} from './response-record.js';
import type { ReportedErrorEvent, ServerEvent, ServerResponse } from './server-events.js';
import { usageOfResponse } from './usage.js';

/** Longest wait for the end of a response that was cancelled, in ms. */
const CANCEL_DEADLINE_MS = 3000;
/** Responses whose output can still be truncated. */
const KEPT_RECORDS = 16;

type EventOf<T extends ServerEvent['type']> = Extract<ServerEvent, { type: T }>;

export interface ResponsesOptions {
  readonly format: AudioFormat;
  readonly clock: Clock;
  readonly send: (event: RealtimeClientEvent) => void;
  readonly emit: (event: RealtimeEvent) => void;
  /** The session cannot go on. */
  readonly fail: (error: ProviderError) => void;
}

/**
 * Runs a session's responses. The service gives one at a time and refuses another until the first is over, so the next
 * one waits here for the end of what it cancels.
 */
export class Responses {
  readonly #options: ResponsesOptions;
  readonly #records = new Map<number, ResponseRecord>();
  #current: ResponseRecord | undefined;
  #next: ResponseRecord | undefined;
  #lastNumber = 0;
  #deadline: Timer | undefined;
  #closed = false;

  constructor(options: ResponsesOptions) {
    this.#options = options;
  }

  respond(request: RespondRequest): number {
    const record = this.#record(request, false);
    if (this.#next) this.#neverBegun(this.#next);
    this.#next = record;
    if (this.#current) this.cancel(this.#current.number);
    else this.#beginNext();
    return record.number;
  }

  cancel(number: number): void {
    if (this.#closed) return;
    if (this.#next?.number === number) {
      this.#neverBegun(this.#next);
      this.#next = undefined;
    }
    const current = this.#current;
    if (current?.number !== number || current.cancelled) return;
    current.cancelled = true;
    this.#options.send({
      type: 'response.cancel',
      ...(current.id === undefined ? {} : { response_id: current.id }),
    });
    this.#deadline = this.#options.clock.schedule(CANCEL_DEADLINE_MS, () => {
      this.#options.fail(realtimeError('timed_out', 'openai did not end a cancelled response', true));
    });
  }

  truncate(number: number, heardMs: number): void {
    const record = this.#records.get(number);
    if (!record || this.#closed) return;
    // While the service still makes it, its end is not known: then it is cut when it is over.
    if (record === this.#current) record.heardMs = heardMs;
    else this.#edit(heardUntil(record, heardMs));
  }

  close(): void {
    this.#closed = true;
    this.#deadline?.cancel();
    this.#current = undefined;
    this.#next = undefined;
    this.#records.clear();
  }

  onCreated({ response }: EventOf<'response.created'>): void {
    let record = this.#current;
    if (!record || record.id !== undefined || response.metadata?.tag !== record.eventId) {
      // The service began it by itself; what we asked for is refused, and asked for again when this one is over.
      if (record?.id === undefined && record?.cancelled === false) this.#next ??= record;
      record = this.#record({}, true);
      this.#current = record;
    }
    record.id = response.id;
    if (record.cancelled) return;
    this.#options.emit({
      type: 'response_started',
      response: record.number,
      unasked: record.unasked,
    });
  }

  onItemAdded({ response_id: id, item }: EventOf<'response.output_item.added'>): void {
    const record = this.#of(id);
    if (!record || (item.type !== 'message' && item.type !== 'function_call')) return;
    outputItem(record, item.id, item.type === 'message' ? 'message' : 'call');
    if (item.type === 'function_call') this.#emitCallPart(record);
  }

  onArguments({ response_id: id }: EventOf<'response.function_call_arguments.delta'>): void {
    const record = this.#of(id);
    if (record) this.#emitCallPart(record);
  }

  onAudio({ response_id: id, item_id: itemId, delta }: EventOf<'response.output_audio.delta'>): void {
    const record = this.#of(id);
    if (!record) return;
    const item = outputItem(record, itemId, 'message');
    item.receivedMs += record.audio.durationMs(delta);
    if (record.cancelled) return;
    item.passedOn = true;
    this.#emitAudio(record, record.audio.convert(delta));
  }

  onText(responseId: string, delta: string): void {
    const record = this.#of(responseId);
    if (!record || record.cancelled || delta === '') return;
    this.#options.emit({ type: 'text', response: record.number, delta });
  }

  onItemDone({ response_id: id, item }: EventOf<'response.output_item.done'>): void {
    const record = this.#of(id);
    if (!record || record.cancelled || item.type !== 'function_call' || item.status === 'incomplete') return;
    const { call_id: callId, name, arguments: args } = item;
    if (callId === undefined || name === undefined || args === undefined) return;
    outputItem(record, item.id, 'call').passedOn = true;
    const call = { id: callId, name, arguments: args };
    this.#options.emit({ type: 'tool_call', response: record.number, call });
  }

  onDone({ response }: EventOf<'response.done'>): void {
    const usage = usageOfResponse(response.usage);
    if (usage) this.#options.emit({ type: 'usage', usage, of: 'response' });
    const record = this.#of(response.id);
    if (!record || this.#closed) return;
    if (!record.cancelled) this.#emitAudio(record, record.audio.rest());
    if (record.heardMs !== undefined) this.#edit(heardUntil(record, record.heardMs));
    if (record.cancelled) this.#edit(unseenOutput(record));
    this.#over(record, record.cancelled ? { outcome: 'cancelled' } : outcomeOf(response));
  }

  /** Handles an error; returns whether it is the answer to one of our `response.create`. */
  onRefused(error: ReportedErrorEvent): boolean {
    const record = this.#current;
    if (error.event_id === this.#next?.eventId && record) return true;
    if (!record || record.id !== undefined || error.event_id !== record.eventId) return false;
    this.#over(
      record,
      record.cancelled ? { outcome: 'cancelled' } : { outcome: 'failed', error: errorOfReport(error) },
    );
    return true;
  }

  #record(request: RespondRequest, unasked: boolean): ResponseRecord {
    this.#lastNumber += 1;
    const record: ResponseRecord = {
      number: this.#lastNumber,
      request,
      eventId: `respond_${this.#lastNumber}`,
      unasked,
      audio: new AgentAudio(this.#options.format),
      items: new Map(),
      id: undefined,
      cancelled: false,
      heardMs: undefined,
    };
    this.#records.set(record.number, record);
    this.#records.delete(record.number - KEPT_RECORDS);
    return record;
  }

  #of(responseId: string): ResponseRecord | undefined {
    return this.#current?.id === responseId ? this.#current : undefined;
  }

  #beginNext(): void {
    const record = this.#next;
    if (!record || this.#closed) return;
    this.#next = undefined;
    this.#current = record;
    this.#options.send(responseCreate(record.request, record.eventId, record.eventId));
  }

  /** Reports a response that never began, after the caller of this has returned, as all that the service reports is. */
  #neverBegun(record: ResponseRecord): void {
    queueMicrotask(() => {
      if (this.#closed) return;
      this.#options.emit({ type: 'response_finished', response: record.number, outcome: 'cancelled' });
    });
  }

  #over(record: ResponseRecord, end: Outcome): void {
    this.#deadline?.cancel();
    this.#current = undefined;
    this.#options.emit({ type: 'response_finished', response: record.number, ...end });
    // The listener may have asked for one in the meantime.
    if (!this.#current) this.#beginNext();
  }

  #emitCallPart({ cancelled, number }: ResponseRecord): void {
    if (!cancelled) this.#options.emit({ type: 'tool_call_part', response: number });
  }

  #emitAudio(record: ResponseRecord, audio: Uint8Array): void {
    if (audio.length > 0) this.#options.emit({ type: 'audio', response: record.number, audio });
  }

  #edit(edits: readonly OutputEdit[]): void {
    for (const edit of edits) {
      if (edit.type === 'delete') {
        this.#options.send({ type: 'conversation.item.delete', item_id: edit.itemId });
      } else {
        this.#options.send({
          type: 'conversation.item.truncate',
          item_id: edit.itemId,
          content_index: 0,
          audio_end_ms: edit.audioEndMs,
        });
      }
    }
  }
}

interface Outcome {
  readonly outcome: 'completed' | 'cancelled' | 'failed';
  readonly error?: ProviderError;
}

function outcomeOf({ status, status_details: details }: ServerResponse): Outcome {
  switch (status) {
    case 'cancelled':
      return { outcome: 'cancelled' };
    case 'failed':
      return { outcome: 'failed', error: errorOfReport(details?.error ?? {}) };
    case 'incomplete':
      if (details?.reason !== 'content_filter') return { outcome: 'completed' };
      return {
        outcome: 'failed',
        error: realtimeError('bad_request', "openai's content filter stopped the answer", false),
      };
    default:
      return { outcome: 'completed' };
  }
}
