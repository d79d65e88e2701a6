import { parseArgs } from 'node:util';
import { parseOption } from '@voice/shared/environment/environment';
import { wholeNumber } from '@voice/shared/environment/parsers';

export const USAGE = `Usage: npm run chaos:restart -- [options]

Replaces every worker and every control plane of a running system (two of each) while people are on the phone and
clients read and write, by npm run restart. Shows that every call that was accepted came to its own end and that every
request was answered by a replica. Exits 0 when that holds, 1 when it does not. Whatever it started is ended.

  --calls N     people on the phone at the same time; default: 6
  --restarts N  so many, one after the other; default: 2
  --help        this text
`;

export interface RollingRestartOptions {
  /** Simultaneous calls. */
  readonly calls: number;
  readonly restarts: number;
}

/** Reads the command line; `help` when that is asked for. Throws an error that names what is wrong. */
export function readOptions(args: readonly string[]): RollingRestartOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      calls: { type: 'string', default: '6' },
      restarts: { type: 'string', default: '2' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    calls: parseOption('--calls', wholeNumber({ min: 1, max: 100 }), values.calls),
    restarts: parseOption('--restarts', wholeNumber({ min: 1, max: 100 }), values.restarts),
  };
}
