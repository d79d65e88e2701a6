import { parseArgs } from 'node:util';
import { parseOption } from '@voice/shared/environment/environment';
import { wholeNumber } from '@voice/shared/environment/parsers';

export const USAGE = `Usage: npm run chaos -- [options]         100 faults in 10 minutes
       npm run chaos:quick -- [options]   30 faults in 5 minutes

Runs the whole system (two control planes, two workers, the embedded store) and emulated providers, with a campaign,
test sessions, an operator and a receiver of webhooks on it. At random moments it kills and freezes processes, cuts
their connections, fills and slows the disk, and lets providers fail. Then an auditor proves: every call came to an
end, each ended call has its cost, its timeline and its last event once, nobody was dialed twice for one attempt, no
webhook is lost, unsigned or came with another body, every acknowledged command has its audit row, no acknowledged
write is lost, and no log holds a secret. Exits 0 when that holds, 1 when it does not. Whatever it started is ended.

  --seed N      the same faults again; default: random, and printed
  --kills N     so many faults; --faults is the same. Default: 100, or 30
  --seconds N   for so long faults happen; default: 600, or 300
  --contacts N  of the campaign; default: 2000
  --runs N      so many runs one after the other, with the seeds that follow; default: 1
  --help        this text

Full disks: as root, the data lies on a small tmpfs that is filled; else prlimit limits the files of single
processes. A slow disk is one that is waited for: processes stand still for nine tenths of the time. Connections are
cut by ss, as root. What cannot be had here is left out, and that is said.
`;

export interface ChaosOptions {
  readonly seed: number;
  readonly faults: number;
  readonly seconds: number;
  readonly contacts: number;
  /** With `seed`, `seed` + 1, and so on. */
  readonly runs: number;
}

/** Reads the command line; `help` when that is asked for. Throws an error that names what is wrong. */
export function readOptions(args: readonly string[], randomSeed: number): ChaosOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      faults: { type: 'string' },
      kills: { type: 'string' },
      quick: { type: 'boolean', default: false },
      runs: { type: 'string' },
      seconds: { type: 'string' },
      contacts: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) return 'help';
  const number = (
    name: 'seed' | 'faults' | 'kills' | 'seconds' | 'contacts' | 'runs',
    fallback: number,
    least: number,
  ) => {
    const given = values[name];
    if (given === undefined) return fallback;
    return parseOption(`--${name}`, wholeNumber({ min: least, max: Number.MAX_SAFE_INTEGER }), given);
  };
  return {
    seed: number('seed', randomSeed, 0),
    faults: number('kills', number('faults', values.quick ? 30 : 100, 0), 0),
    seconds: number('seconds', values.quick ? 300 : 600, 10),
    contacts: number('contacts', 2000, 1),
    runs: number('runs', 1, 1),
  };
}
