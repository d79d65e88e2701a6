import { parseArgs } from 'node:util';
import { parseOption } from '@voice/shared/environment/environment';
import { choice, wholeNumber } from '@voice/shared/environment/parsers';
import { type BenchLine, isSameSubject, MULAW_CASCADE, type Subject } from './subject.js';

export interface BenchOptions {
  /** The mu-law cascade, and what is measured beside it. */
  readonly subjects: readonly Subject[];
  /** Simultaneous calls, one scenario each. */
  readonly calls: readonly number[];
  /** Measured time of a scenario. */
  readonly seconds: number;
  /** So many listen in on one call, and nothing else is measured; 0: the usual scenarios. */
  readonly listeners: number;
  /** The worker has a processor of its own, and everything else the others. */
  readonly ownCore: boolean;
  /** What answers begun early save and cost, and nothing else is measured. */
  readonly preemption: boolean;
  /** Nothing was asked for in particular: what answers begun early save is measured, too. */
  readonly isUsual: boolean;
}

export const USAGE = `Usage: npm run bench [-- --calls 1,50 --seconds 60]
       npm run bench -- --pipeline realtime [--provider openai|gemini]
       npm run bench -- --line webrtc [--calls 1,10]
       npm run bench -- --own-core [--calls 200,300]
       npm run bench -- --listeners 50 [--seconds 60]
       npm run bench -- --preemption [--seconds 60]

Measures one media worker from the outside: the bench plays control plane and carrier, emulators with
fixed delays play the vendors, real speech goes in.

  --calls LIST     simultaneous calls, by comma: one scenario each (1,50; with WebRTC 1,10, as the bench’s own
                   connections take more of the processor than the worker)
  --seconds N      measured time of each scenario (60)
  --pipeline NAME  cascaded (the default), or realtime: a speech-to-speech model beside the cascade
  --provider NAME  of the realtime model: openai (the default) or gemini
  --line NAME      phone (mu-law, the default), or webrtc: browsers’ connections beside the phone’s, and how long
                   a sound takes from mouth to ear where the agent is an echo
  --own-core       the worker alone on the first processor, bench and emulators on the others: a worker's latency as
                   it is where what surrounds it runs elsewhere
  --listeners N    instead: what N listeners on one call do to its frames, with and without by turns
  --preemption     instead: what answers begun before the caller’s turn is over save, and what they cost; without
                   any option it is measured beside the calls

Around the measured time a scenario takes some 50 s: vendors and worker start, calls begin one after the other, and
the idle worker is measured before and after. What a run takes in all, and what is left of it, is printed as it goes.
Prints a table, and writes loadtest/reports/bench.json.
`;

const upTo = (max: number) => wholeNumber({ min: 1, max });
const LINES = ['phone', 'webrtc'] as const;
const LINE_NAMES = { phone: 'mulaw', webrtc: 'webrtc' } as const satisfies Record<string, BenchLine>;

/** Reads the command line; undefined when help was asked for. */
export function readOptions(args: readonly string[]): BenchOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      calls: { type: 'string' },
      pipeline: { type: 'string', default: 'cascaded' },
      provider: { type: 'string', default: 'openai' },
      line: { type: 'string', default: 'phone' },
      seconds: { type: 'string', default: '60' },
      listeners: { type: 'string' },
      'own-core': { type: 'boolean', default: false },
      preemption: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  const line = parseOption('--line', choice(LINES), values.line);
  const pipeline = parseOption('--pipeline', choice(['cascaded', 'realtime']), values.pipeline);
  const provider = parseOption('--provider', choice(['openai', 'gemini']), values.provider);
  const wanted: Subject = {
    line: LINE_NAMES[line],
    pipeline: pipeline === 'realtime' ? provider : 'cascaded',
  };
  const calls = values.calls ?? (wanted.line === 'webrtc' ? '1,10' : '1,50');
  return {
    subjects: isSameSubject(wanted, MULAW_CASCADE) ? [MULAW_CASCADE] : [MULAW_CASCADE, wanted],
    calls: calls.split(',').map((text) => parseOption('--calls', upTo(2000), text)),
    seconds: parseOption('--seconds', upTo(3600), values.seconds),
    listeners: values.listeners === undefined ? 0 : parseOption('--listeners', upTo(100), values.listeners),
    ownCore: values['own-core'],
    preemption: values.preemption,
    isUsual: args.length === 0,
  };
}
