import { parseArgs } from 'node:util';
import { parseOption } from '@voice/shared/environment/environment';
import { wholeNumber } from '@voice/shared/environment/parsers';

export const USAGE = `Usage: npm run chaos:quick -- [options]

Runs the whole system (two control planes, two workers, the embedded store) with a campaign on it, and for some
minutes kills, freezes and fills the disk of its processes at random. Then an auditor proves: every call came to
an end, each ended call has its cost and its last events once, nobody was dialed twice for one attempt, and no
acknowledged write is lost. Exits 0 when that holds, 1 when it does not. Whatever it started is ended.

  --seed N      the same faults again; default: random, and printed
  --faults N    default 30
  --seconds N   for so long faults happen; default 300
  --contacts N  of the campaign; default 400
  --help        this text

Full disks: as root, the data lies on a small tmpfs that is filled; else prlimit limits the files of single
processes; where neither is to be had these faults are left out, and that is said.
`;

export interface ChaosOptions {
  readonly seed: number;
  readonly faults: number;
  readonly seconds: number;
  readonly contacts: number;
}

/** Reads the command line; `help` when that is asked for. Throws an error that names what is wrong. */
export function readOptions(args: readonly string[], randomSeed: number): ChaosOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      faults: { type: 'string' },
      seconds: { type: 'string' },
      contacts: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return 'help';
  const number = (name: 'seed' | 'faults' | 'seconds' | 'contacts', fallback: number, least: number) => {
    const given = values[name];
    if (given === undefined) return fallback;
    return parseOption(`--${name}`, wholeNumber({ min: least, max: Number.MAX_SAFE_INTEGER }), given);
  };
  return {
    seed: number('seed', randomSeed, 0),
    faults: number('faults', 30, 0),
    seconds: number('seconds', 300, 10),
    contacts: number('contacts', 400, 1),
  };
}
