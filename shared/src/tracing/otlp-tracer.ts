import { z } from 'zod';
import { fetchText } from '../abort/fetch-text.js';
import type { Clock, Timer } from '../clock/clock.js';
import { isSampled, traceIdOf } from '../ids/call-trace.js';
import type { Log } from '../log/log.js';
import { type OtlpSpan, otlpRequest, otlpSpan } from './otlp-json.js';
import type { TracingSettings } from './settings.js';
import { NO_TRACING, type Span, type SpanAttributes, type Tracer } from './tracer.js';

/** What of the queue is sent when the process stops, in ms. */
const CLOSE_LIMIT_MS = 1000;
/** Statuses after which the same spans are sent again. Source: https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const RETRYABLE = [429, 502, 503, 504];

const exportReply = z.object({
  partialSuccess: z.object({ rejectedSpans: z.coerce.number().default(0) }).optional(),
});

export interface OtlpTracerOptions {
  readonly settings: TracingSettings;
  /** Of the process: `service.name`, `service.instance.id`. */
  readonly resource: SpanAttributes;
  readonly clock: Clock;
  readonly log: Log;
}

/** Creates the process's tracer; without settings, one that does nothing. */
export function createTracer({
  settings,
  ...options
}: Omit<OtlpTracerOptions, 'settings'> & { readonly settings: TracingSettings | undefined }): Tracer {
  return settings ? new OtlpTracer({ settings, ...options }) : NO_TRACING;
}

/**
 * Sends spans by OTLP over HTTP, some at a time. A call never waits for it: past the queue's size spans are dropped and
 * counted. What a collector could not take for now is sent again.
 */
class OtlpTracer implements Tracer {
  readonly isOn = true;
  readonly includesContent: boolean;
  readonly #options: OtlpTracerOptions;
  readonly #resource: SpanAttributes;
  readonly #closing = new AbortController();
  #queue: OtlpSpan[] = [];
  #timer: Timer | undefined;
  #sending: Promise<void> | undefined;
  #exported = 0;
  #dropped = 0;
  #isFailing = false;
  #isClosed = false;

  constructor(options: OtlpTracerOptions) {
    this.#options = options;
    const { settings, resource } = options;
    this.includesContent = settings.includesContent;
    const name = settings.serviceName && { 'service.name': settings.serviceName };
    this.#resource = { ...resource, ...settings.resource, ...name };
  }

  get counts() {
    return { exported: this.#exported, dropped: this.#dropped };
  }

  record(span: Span): void {
    const { settings, clock } = this.#options;
    if (!isSampled(traceIdOf(span.callId), settings.share)) return;
    if (this.#isClosed || this.#queue.length >= settings.maxQueued) {
      this.#dropped += 1;
      return;
    }
    this.#queue.push(otlpSpan(span));
    if (this.#queue.length >= settings.maxBatch && !this.#isFailing) this.#send();
    else this.#timer ??= clock.schedule(settings.delayMs, () => this.#send());
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    const { clock } = this.#options;
    const limit = clock.schedule(CLOSE_LIMIT_MS, () => this.#closing.abort());
    await this.#sending;
    this.#isClosed = true;
    this.#send();
    await this.#sending;
    limit.cancel();
    this.#timer?.cancel();
    this.#dropped += this.#queue.length;
    this.#queue = [];
  }

  #send(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      const { settings, clock } = this.#options;
      if (this.#queue.length === 0 || this.#isClosed) return;
      this.#timer ??= clock.schedule(settings.delayMs, () => this.#send());
    });
  }

  /** Sends batch by batch until one cannot be delivered. */
  async #sendAll(): Promise<void> {
    const { maxBatch, maxQueued } = this.#options.settings;
    while (this.#queue.length > 0 && !this.#closing.signal.aborted) {
      const batch = this.#queue.splice(0, maxBatch);
      const outcome = await this.#export(batch);
      if (outcome === 'again') {
        const kept = batch.slice(0, Math.max(0, maxQueued - this.#queue.length));
        this.#dropped += batch.length - kept.length;
        this.#queue = [...kept, ...this.#queue];
        return;
      }
      this.#exported += batch.length - outcome.rejected;
      this.#dropped += outcome.rejected;
    }
  }

  async #export(batch: readonly OtlpSpan[]): Promise<'again' | { readonly rejected: number }> {
    const { settings } = this.#options;
    try {
      const { url, headers, timeoutMs } = settings;
      const request = {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: otlpRequest(this.#resource, batch),
      };
      const ends = { signals: [this.#closing.signal], timeoutMs };
      const { status, ok, text } = await fetchText(url, request, ends);
      if (!ok) {
        this.#failed(`the collector answered ${status}`);
        return RETRYABLE.includes(status) ? 'again' : { rejected: batch.length };
      }
      this.#isFailing = false;
      return { rejected: Math.min(batch.length, rejectedSpans(text)) };
    } catch (error) {
      this.#failed(error instanceof Error ? String(error.cause ?? error) : String(error));
      return 'again';
    }
  }

  /** Warns once an outage. */
  #failed(reason: string): void {
    if (!this.#isFailing) this.#options.log.warn({ reason }, 'traces could not be sent');
    this.#isFailing = true;
  }
}

/** Returns how many spans the collector's answer says it has refused; 0 where it is no JSON. */
function rejectedSpans(text: string): number {
  try {
    const reply = exportReply.safeParse(JSON.parse(text || '{}'));
    return reply.data?.partialSuccess?.rejectedSpans ?? 0;
  } catch {
    return 0;
  }
}
