import type { Clock } from '../clock/clock.js';

export type SpanAttributes = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

/** What was done for a call, from when to when. Recorded once it is over. */
export interface Span {
  /** The call's trace is the one it belongs to. */
  readonly callId: string;
  readonly name: string;
  /** `client` where another service was asked; `internal` by default. */
  readonly kind?: 'internal' | 'client';
  /** 16 hexadecimal digits; random by default. Derived ones let others name a parent that is not recorded yet. */
  readonly id?: string;
  /** The call's root by default; null for the root itself. */
  readonly parentId?: string | null;
  /** Epoch ms, with fractions. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes?: SpanAttributes;
  /** Why it failed; absent where it did not. */
  readonly error?: string | undefined;
}

/** Records spans for an OpenTelemetry collector. */
export interface Tracer {
  /** Whether anybody receives spans: callers make none where nobody does. */
  readonly isOn: boolean;
  /** Whether texts of callers, prompts and tools may be among the attributes. */
  readonly includesContent: boolean;
  /** Queues a span; returns at once and never throws. */
  record(span: Span): void;
  /** Spans that were sent, and that were lost: queue full, or refused by the collector. */
  readonly counts: { readonly exported: number; readonly dropped: number };
  /** Sends what is queued, for one second at most, and stops. */
  close(): Promise<void>;
}

/** Tracing that is off: it costs nothing. */
export const NO_TRACING: Tracer = {
  isOn: false,
  includesContent: false,
  record: () => {},
  counts: { exported: 0, dropped: 0 },
  close: async () => {},
};

/** What `traced` needs. */
export interface TracingContext {
  readonly tracer: Tracer;
  readonly clock: Clock;
}

/**
 * Runs a task and records it as a span, also when it throws.
 * @param describe attributes of what came of it
 */
export async function traced<Result>(
  tracing: TracingContext | undefined,
  span: Omit<Span, 'startedAt' | 'endedAt' | 'error'>,
  task: () => Promise<Result>,
  describe: (result: Result) => Pick<Span, 'attributes' | 'error'> = () => ({}),
): Promise<Result> {
  if (!tracing?.tracer.isOn) return task();
  const { tracer, clock } = tracing;
  const startedAt = clock.now();
  const record = (outcome: Pick<Span, 'attributes' | 'error'>) =>
    tracer.record({
      ...span,
      startedAt,
      endedAt: clock.now(),
      attributes: { ...span.attributes, ...outcome.attributes },
      error: outcome.error,
    });
  try {
    const result = await task();
    record(describe(result));
    return result;
  } catch (error) {
    record({ error: String(error) });
    throw error;
  }
}
