import { pino } from 'pino';

export type LogFields = Readonly<Record<string, unknown>>;

/** A structured logger: one wide event with fields, then a short constant message. */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  child(fields: LogFields): Log;
}

export interface LogOptions {
  readonly name: string;
  readonly level: string;
}

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
 * JSON lines on standard output. Secrets are redacted by name; phone numbers must be passed
 * through `maskPhoneNumber` by the caller.
 */
export function createLog({ name, level }: LogOptions): Log {
  const logger = pino({
    name,
    level,
    redact: { paths: SECRET.flatMap((path) => [path, `*.${path}`]), censor: '[redacted]' },
    timestamp: pino.stdTimeFunctions.isoTime,
    base: { pid: process.pid },
  });
  return logger as unknown as Log;
}

export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLog,
};

/** `+15005550006` becomes `+1500•••0006`: enough to recognise, too little to call. */
export function maskPhoneNumber(number: string): string {
  return number.length < 9 ? '•••' : `${number.slice(0, 5)}•••${number.slice(-4)}`;
}
