const LEVELS: Readonly<Record<number, { readonly name: string; readonly colour: string }>> = {
  10: { name: 'trace', colour: '90' },
  20: { name: 'debug', colour: '90' },
  30: { name: 'info ', colour: '32' },
  40: { name: 'WARN ', colour: '33' },
  50: { name: 'ERROR', colour: '31' },
  60: { name: 'FATAL', colour: '31' },
};
const NAME_COLOURS = ['36', '35', '34', '33', '32', '96', '95', '94'];
/** Said by the prefix, or of no use to a reader. */
const LEFT_OUT = new Set(['level', 'time', 'pid', 'name', 'msg', 'hostname']);
/** What is worth a reader's while of a request that went well. */
const REQUEST_FIELDS = new Set(['method', 'route', 'status', 'duration_ms']);

export interface LineStyle {
  /** The process's name, padded to the longest. */
  readonly prefix: string;
  /** Chooses the prefix's colour. */
  readonly index: number;
  readonly colour: boolean;
}

/**
 * Formats a process's log line for a reader: prefix, then time, level, message and fields where it is a JSON log
 * line. Undefined for what the processes say to each other all the time while all is well (`LOG_FORMAT=json` shows
 * that, too).
 */
export function humanLine(line: string, { prefix, index, colour }: LineStyle): string | undefined {
  const paint = (text: string, code: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const head = paint(`${prefix} │`, NAME_COLOURS[index % NAME_COLOURS.length]!);
  const entry = asLogEntry(line);
  if (!entry) return `${head} ${line}`;
  const answered = entry.message === 'request' && Number(entry.fields.status) < 400;
  if (answered && String(entry.fields.route).startsWith('/internal/')) return undefined;
  const level = LEVELS[entry.level] ?? { name: String(entry.level), colour: '0' };
  const fields = Object.entries(entry.fields)
    .filter(([name, value]) => !LEFT_OUT.has(name) && value !== undefined)
    .filter(([name]) => !answered || REQUEST_FIELDS.has(name))
    .map(([name, value]) => paint(`${name}=`, '90') + fieldText(value))
    .join(' ');
  return `${head} ${paint(entry.time, '90')} ${paint(level.name, level.colour)} ${entry.message}${fields ? `  ${fields}` : ''}`;
}

interface LogEntry {
  readonly level: number;
  readonly time: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

function asLogEntry(line: string): LogEntry | undefined {
  if (!line.startsWith('{')) return undefined;
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof fields.level !== 'number') return undefined;
  const time = new Date(fields.time as string | number);
  return {
    level: fields.level,
    time: Number.isNaN(time.getTime()) ? '--:--:--.---' : time.toISOString().slice(11, 23),
    message: typeof fields.msg === 'string' ? fields.msg : '',
    fields,
  };
}

function fieldText(value: unknown): string {
  if (typeof value === 'string') return /[\s"=]/.test(value) || value === '' ? JSON.stringify(value) : value;
  return JSON.stringify(value) ?? String(value);
}
