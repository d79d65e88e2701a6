import { parseArgs } from 'node:util';

export interface BenchOptions {
  /** Simultaneous calls, one scenario each. */
  readonly calls: readonly number[];
  /** Measured time of a scenario. */
  readonly seconds: number;
}

export const USAGE = `Usage: npm run bench [-- --calls 1,50 --seconds 60]

Measures one media worker from the outside: the bench plays control plane and carrier, emulators with
fixed delays play the vendors, real speech goes in.

  --calls LIST     simultaneous calls, by comma: one scenario each (1,50)
  --seconds N      measured time of each scenario (60)

Prints a table, and writes loadtest/reports/bench.json.
`;

/** Undefined when help was asked for. */
export function readOptions(args: readonly string[]): BenchOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      calls: { type: 'string', default: '1,50' },
      seconds: { type: 'string', default: '60' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  return {
    calls: values.calls.split(',').map((text) => positive('--calls', text, 2000)),
    seconds: positive('--seconds', values.seconds, 3600),
  };
}

function positive(name: string, text: string, maximum: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= maximum) return value;
  throw new Error(`${name}: “${text}” is not a whole number from 1 to ${maximum}`);
}
