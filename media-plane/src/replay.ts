import { readFileSync } from 'node:fs';
import { describeEffect } from './call/turn-taking/describe-effect.js';
import { type Difference, replay } from './call/turn-taking/replay.js';
import { timelineOf } from './call/turn-taking/timeline.js';

/**
 * Runs a call's decision log through today's turn-taking and prints where it would decide differently; with
 * `--timeline`, prints the call itself before (`npm run replay`, which finds the log). Exit code 0: nowhere; 1:
 * somewhere; 2: the log cannot be read.
 */
function main(args: readonly string[]): number {
  const file = args.find((arg) => !arg.startsWith('--'));
  if (file === undefined) {
    process.stderr.write('usage: replay.js [--timeline] FILE\n');
    return 2;
  }
  try {
    const lines = readFileSync(file, 'utf8').split('\n');
    if (args.includes('--timeline')) process.stdout.write(`${timelineOf(lines).join('\n')}\n\n`);
    const { steps, differences } = replay(lines);
    for (const difference of differences) process.stdout.write(`${describe(difference)}\n\n`);
    process.stdout.write(`${steps} decisions, ${differences.length} different today\n`);
    if (differences.length > 1) {
      process.stdout.write('Those after the first may be consequences of it.\n');
    }
    return differences.length > 0 ? 1 : 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}

function describe({ step, event, recorded, today }: Difference): string {
  const { type, at, ...rest } = event;
  return [
    `decision ${step}, at ${at} ms: ${type} ${JSON.stringify(rest)}`,
    ...recorded.map((effect) => `  then   ${describeEffect(effect)}`),
    ...today.map((effect) => `  today  ${describeEffect(effect)}`),
  ].join('\n');
}

process.exitCode = main(process.argv.slice(2));
