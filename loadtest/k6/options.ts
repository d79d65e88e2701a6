import { parseArgs } from 'node:util';
import { parseOption } from '@voice/shared/environment/environment';
import { choice, wholeNumber } from '@voice/shared/environment/parsers';
import { PARTS, type Part, SCENARIOS, type Scenario } from './plan.js';

export const USAGE = `Usage: npm run load -- SCENARIO [options]
       npm run load -- capacity [--seconds N] [--levels 10,40,80]

Starts the whole system with one worker and one control plane, the emulated vendors and k6, puts load on it, ends
all, and writes a report with plots: loadtest/reports/SCENARIO.html and SCENARIO.md.

  smoke     a little of everything, for 40 s
  load      the usual load, for 3 minutes
  stress    up in four steps to four times the usual load, for 4 minutes; finds what gives first
  spike     a fifth of the usual load, ten times as much within moments, and back; 3 minutes
  soak      half the usual load, for an hour
  capacity  calls on one worker level by level, control plane and store; writes loadtest/reports/capacity.md

  --parts LIST      of rest, campaigns, webhooks, sessions, media, by comma; default: all
  --scale PERCENT   of the load; 200 is twice as much. Default: 100
  --seconds N       length of the run; default: the scenario's
  --call-seconds N  length of a call; default: 60, or the run where it is shorter
  --levels LIST     of capacity: simultaneous calls, by comma; default: 10,40,80,120,160,200,240
  --own-core        gives the worker one processor alone, and all else the others (Linux)
  --help            this text

The usual load is 60 requests a second, 2 campaigns, 3 callers who wait for a webhook, 4 test sessions and 20 media
streams at the same time. Exits 1 when a threshold was not kept; stress and spike have none.

k6 is looked for in PATH and in ~/go/bin. To get it:
  go install go.k6.io/k6@latest      (Go 1.26 or newer; about 4 minutes on 2 cores)
`;

export interface LoadOptions {
  readonly command: Scenario | 'capacity';
  readonly parts: readonly Part[];
  /** Times the usual load. */
  readonly scale: number;
  readonly seconds: number | undefined;
  readonly callSeconds: number | undefined;
  readonly levels: readonly number[];
  readonly ownCore: boolean;
}

const positive = wholeNumber({ min: 1, max: 1_000_000 });

/** Reads the command line; `help` when that is asked for. Throws an error that names what is wrong. */
export function readOptions(args: readonly string[]): LoadOptions | 'help' {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      parts: { type: 'string' },
      scale: { type: 'string', default: '100' },
      seconds: { type: 'string' },
      'call-seconds': { type: 'string' },
      levels: { type: 'string', default: '10,40,80,120,160,200,240' },
      'own-core': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return 'help';
  const [command, ...rest] = positionals;
  if (command === undefined || rest.length > 0) {
    throw new Error(`Name one scenario: ${SCENARIOS.join(', ')} or capacity. See npm run load -- --help.`);
  }
  const optional = (name: 'seconds' | 'call-seconds') =>
    values[name] === undefined ? undefined : parseOption(`--${name}`, positive, values[name]);
  return {
    command: parseOption('SCENARIO', choice([...SCENARIOS, 'capacity']), command),
    parts: values.parts?.split(',').map((part) => parseOption('--parts', choice([...PARTS]), part)) ?? [
      ...PARTS,
    ],
    scale: parseOption('--scale', positive, values.scale) / 100,
    seconds: optional('seconds'),
    callSeconds: optional('call-seconds'),
    levels: values.levels.split(',').map((level) => parseOption('--levels', positive, level)),
    ownCore: values['own-core'],
  };
}
