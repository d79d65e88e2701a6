import { randomBytes } from 'node:crypto';
import { rootSpanId, traceIdOf } from '../ids/call-trace.js';
import { maskConfidential } from '../log/log.js';
import type { Span, SpanAttributes } from './tracer.js';

/** Source: https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto */
const KIND = { internal: 1, client: 3 } as const;
const STATUS_ERROR = 2;
const MAX_ERROR_CHARACTERS = 500;

type AnyValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly AnyValue[] } };

interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

/** A span in OTLP's JSON. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly status?: { readonly code: number; readonly message: string };
}

/** Encodes a span. Source of the form: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
export function otlpSpan(span: Span): OtlpSpan {
  const parentId = span.parentId === undefined ? rootSpanId(span.callId) : span.parentId;
  return {
    traceId: traceIdOf(span.callId),
    spanId: span.id ?? randomBytes(8).toString('hex'),
    ...(parentId === null ? {} : { parentSpanId: parentId }),
    name: span.name,
    kind: KIND[span.kind ?? 'internal'],
    startTimeUnixNano: nanoseconds(span.startedAt),
    endTimeUnixNano: nanoseconds(Math.max(span.startedAt, span.endedAt)),
    attributes: keyValues({ 'call.id': span.callId, ...span.attributes }),
    ...(span.error === undefined
      ? {}
      : {
          status: {
            code: STATUS_ERROR,
            message: maskConfidential(span.error).slice(0, MAX_ERROR_CHARACTERS),
          },
        }),
  };
}

/** Builds the body of one export. */
export function otlpRequest(resource: SpanAttributes, spans: readonly OtlpSpan[]): string {
  const scope = { name: 'voice-agent-platform' };
  return JSON.stringify({
    resourceSpans: [{ resource: { attributes: keyValues(resource) }, scopeSpans: [{ scope, spans }] }],
  });
}

/** Whole microseconds: a double holds no more of the time since the epoch. */
function nanoseconds(epochMs: number): string {
  return `${BigInt(Math.round(epochMs * 1000)) * 1000n}`;
}

function keyValues(attributes: SpanAttributes): KeyValue[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: string | number | boolean | readonly string[]): AnyValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  }
  return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
}
