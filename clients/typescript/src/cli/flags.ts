import { parseArgs } from 'node:util';
import { VoiceError } from '../errors.js';

const FLAGS = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  follow: { type: 'boolean', short: 'f' },
  'dry-run': { type: 'boolean' },
  activate: { type: 'boolean' },
  url: { type: 'string' },
  key: { type: 'string' },
  agent: { type: 'string' },
  from: { type: 'string' },
  name: { type: 'string' },
  status: { type: 'string' },
  var: { type: 'string', multiple: true },
  'forward-to': { type: 'string' },
  events: { type: 'string' },
} as const;

/** Reads what is written behind `voice`. Throws a `TypeError` for flags that there are not. */
export function parseFlags(args: readonly string[]) {
  return parseArgs({ args: [...args], allowPositionals: true, options: FLAGS });
}

/** What stands behind the flags of a command line. */
export type Flags = Readonly<ReturnType<typeof parseFlags>['values']>;

/** Returns the variables that each `--var NAME=VALUE` sets; nothing without one. Throws a `VoiceError`. */
export function variablesOf({ var: given }: Flags): Record<string, string> | undefined {
  return given && Object.fromEntries(given.map(variable));
}

function variable(text: string): [name: string, value: string] {
  const end = text.indexOf('=');
  if (end < 1) throw new VoiceError(`--var: expected NAME=VALUE, got '${text}'.`);
  return [text.slice(0, end), text.slice(end + 1)];
}
