import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { parseOption } from '@voice/shared/environment/environment';
import { choice, wholeNumber } from '@voice/shared/environment/parsers';
import { TARGETS } from './targets.js';

const NAMES = Object.keys(TARGETS);

export const USAGE = `Usage: npm run fuzz -- [options]

Lets everything that reads what others send read damaged input: valid messages with a change in their structure, at
the bounds of their numbers, or in their bytes. Fails where something throws what is none of its refusals, hangs,
collects without bound, or where memory grows. Everything comes from a seed.

  --inputs N        of each target; default: 100000
  --minutes N       ends after so many minutes, whatever is left
  --seed N          other inputs; default: 1. Each 10,000 inputs have a seed of their own, the next the next number
  --side-by-side N  targets at a time; default: the machine's cores
  --targets LIST    of ${NAMES.join(', ')}, by comma; default: all
  --help            this text

twilio, telnyx, plivo: frames of media streams. tester: messages of test sessions. sdp: browsers' offers. webhooks:
bodies of carriers' webhooks, rightly signed. csv: files of contacts. store: the wire protocol and the commands of the
embedded store, with messages in pieces.
`;

export interface FuzzOptions {
  readonly inputs: number;
  readonly minutes: number | undefined;
  readonly seed: number;
  /** Targets that run at a time. */
  readonly sideBySide: number;
  readonly targets: readonly string[];
}

/** Reads the command line; `help` when that is asked for. Throws an error that names what is wrong. */
export function readOptions(args: readonly string[]): FuzzOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      inputs: { type: 'string', default: '100000' },
      minutes: { type: 'string' },
      seed: { type: 'string', default: '1' },
      'side-by-side': { type: 'string', default: String(availableParallelism()) },
      targets: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return 'help';
  const number = (name: string, text: string, min = 1) =>
    parseOption(name, wholeNumber({ min, max: Number.MAX_SAFE_INTEGER }), text);
  const [first, ...rest] = NAMES;
  return {
    inputs: number('--inputs', values.inputs),
    minutes: values.minutes === undefined ? undefined : number('--minutes', values.minutes),
    seed: number('--seed', values.seed, 0),
    sideBySide: number('--side-by-side', values['side-by-side']),
    targets:
      values.targets?.split(',').map((name) => parseOption('--targets', choice([first!, ...rest]), name)) ??
      NAMES,
  };
}
