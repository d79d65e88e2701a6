import { type Logger, type LoggerOptions, pino } from 'pino';
import { traceIdOf } from '../ids/call-trace.js';
import { pacedLines } from './paced-lines.js';

export type LogFields = Readonly<Record<string, unknown>>;

/** What all lines of a child have: plain values, within which no secret can be. */
export type LogBindings = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** A structured logger: one wide event with fields, then a short constant message. */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  child(fields: LogBindings): Log;
}

export interface LogOptions {
  readonly name: string;
  readonly level: string;
  /** Whether what is logged of a call names its trace, too. */
  readonly namesTraces?: boolean;
  /** Where the lines go; standard output by default. */
  readonly write?: (line: string) => void;
}

const CENSOR = '[redacted]';

/** Names whose values never reach a log, at the top of an event or one level down. */
const SECRET = [
  'authorization',
  'key',
  'api_key',
  'secret',
  'token',
  'code',
  'password',
  'audio',
  'credentials',
];

/**
 * Creates a log of JSON lines on standard output. Secrets are redacted by the name of their field. Phone numbers must
 * be passed through `maskPhoneNumber` by the caller; those in others' texts (a carrier's error message) and keys of
 * this service are masked wherever they turn up.
 */
export function createLog({ name, level, namesTraces = false, write }: LogOptions): Log {
  const named = namesTraces ? withTraceId : (fields: Record<string, unknown>) => fields;
  const options: LoggerOptions = {
    name,
    level,
    // One level down they are redacted below: pino's wildcards cost three times as much as the rest of the line.
    redact: { paths: SECRET, censor: CENSOR },
    timestamp: pino.stdTimeFunctions.isoTime,
    base: { pid: process.pid },
    serializers: { err: serializedError },
    formatters: { log: (fields) => named(masked(fields)) },
    ...(namesTraces && { onChild: nameTraceOfChild }),
  };
  return pino(options, write ? { write } : pacedLines(pino.destination(1))) as unknown as Log;
}

/** Adds the trace of the call that an event is of. */
function withTraceId(fields: Record<string, unknown>): Record<string, unknown> {
  const { call_id: callId } = fields;
  return typeof callId === 'string' ? { ...fields, trace_id: traceIdOf(callId) } : fields;
}

/** Adds the same to all that a child logs: pino's formatter does not see what a child is bound to. */
function nameTraceOfChild(child: Logger): void {
  const bound = child.bindings();
  if (bound.trace_id !== undefined) return;
  const { trace_id } = withTraceId(bound);
  if (trace_id !== undefined) child.setBindings({ trace_id });
}

/** Serializes an error. Its `code` is no secret: it is logged as `error_code`. */
function serializedError(error: Error): Record<string, unknown> {
  const { code, ...rest }: Record<string, unknown> = { ...pino.stdSerializers.err(error) };
  return withoutSecrets(masked({ ...rest, ...(code === undefined ? {} : { error_code: code }) }));
}

const CONFIDENTIAL = /\+[1-9]\d{6,14}|\b(?:sk_(?:live|test)|whsec)_[\w-]{4,}/g;

/** Masks phone numbers and keys of this service in a text. */
export function maskConfidential(text: string): string {
  return text.replaceAll(CONFIDENTIAL, (found) => (found.startsWith('+') ? maskPhoneNumber(found) : '•••'));
}

/** Masks phone numbers and keys in the texts of the fields, and redacts the secrets within them. */
function masked(fields: Record<string, unknown>): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    copy[name] = typeof value === 'string' ? maskConfidential(value) : withinRedacted(name, value);
  }
  return copy;
}

function withinRedacted(name: string, value: unknown): unknown {
  // What `err` holds is redacted where it is serialized.
  return name === 'err' || typeof value !== 'object' || value === null ? value : withoutSecrets(value);
}

/** Returns the fields with their secrets redacted by name; the very same where they hold none. */
function withoutSecrets<Fields extends object>(fields: Fields): Fields {
  const secrets = SECRET.filter((name) => Object.hasOwn(fields, name));
  if (secrets.length === 0) return fields;
  return { ...fields, ...Object.fromEntries(secrets.map((name) => [name, CENSOR])) };
}

export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLog,
};

/** Masks a number: `+15005550006` becomes `+1500•••0006`, enough to recognise, too little to call. */
export function maskPhoneNumber(number: string): string {
  return number.length < 9 ? '•••' : `${number.slice(0, 5)}•••${number.slice(-4)}`;
}
