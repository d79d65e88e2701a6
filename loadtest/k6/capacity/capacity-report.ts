import type { Block, ReportDocument } from '../report/document.js';
import { short } from '../report/plot.js';
import {
  type DialCost,
  type Level,
  MEAN_CALL_SECONDS,
  PLANNED_SHARE,
  project,
  type Sizing,
  sizingOf,
} from './sizing.js';

export interface CapacityFigures {
  readonly machine: string;
  /** Of one level. */
  readonly seconds: number;
  readonly levels: readonly Level[];
  readonly dial: DialCost;
  readonly at: number;
}

/** A frame's time: where k6 itself is later than it, the machine was starved. */
const STARVED_MS = 20;
const FACTORS = [10, 100, 1000];

/** Describes what one core carries, what a call costs, and what gives first when there are more. Pure. */
export function capacityReport(figures: CapacityFigures): ReportDocument {
  const sizing = sizingOf(figures.levels);
  return {
    title: 'Capacity',
    blocks: [
      {
        kind: 'text',
        text:
          `Written by \`npm run load -- capacity\` on ${new Date(figures.at).toISOString().slice(0, 16)}Z. ${figures.machine} ` +
          `Each level ran for ${figures.seconds} s: k6 plays the carrier with recorded mu-law at 50 frames a second, ` +
          'converses, and interrupts every third answer. Every figure is marked as measured or computed.',
      },
      ...latencyBlocks(figures.levels, sizing),
      ...costBlocks(figures, sizing),
      ...formulaBlocks(sizing, figures.dial),
      ...growthBlocks(figures.levels, sizing, figures.dial),
    ],
  };
}

function latencyBlocks(levels: readonly Level[], { knee }: Sizing): Block[] {
  const starved = levels.filter(({ k6LateP95 }) => k6LateP95 > STARVED_MS).map(({ calls }) => calls);
  return [
    { kind: 'heading', text: 'Calls a core against latency' },
    {
      kind: 'table',
      head: [
        'Calls on one worker (measured)',
        'added p50 (ms)',
        'p95',
        'p99',
        'barge-in p95 (ms)',
        'dropped',
        'missing answers',
        'k6 late, p95 of the seconds’ worst (ms)',
      ],
      rows: levels.map(({ calls, added, bargeInP95, dropped, unanswered, k6LateP95 }) =>
        [calls, added.p50, added.p95, added.p99, bargeInP95, dropped, unanswered, k6LateP95].map(short),
      ),
    },
    {
      kind: 'plot',
      name: 'capacity-latency',
      plot: {
        title: 'Added response latency',
        xLabel: 'simultaneous calls',
        yLabel: 'ms',
        lines: (['p50', 'p95', 'p99'] as const).map((share) => ({
          name: share,
          points: levels.map(({ calls, added }) => [calls, added[share]] as const),
        })),
        ...(knee === undefined ? {} : { mark: { x: knee, label: 'knee' } }),
      },
    },
    {
      kind: 'text',
      text:
        (knee === undefined
          ? `No knee up to ${levels.at(-1)!.calls} calls (measured): p95 stayed below 100 ms, or twice that of the smallest level.`
          : `The knee is at ${knee} calls (measured): above it p95 leaves 100 ms, or twice that of the smallest level.`) +
        (starved.length > 0
          ? ` At ${starved.join(', ')} calls k6 itself was late by more than a frame: the machine, which also runs k6 and ` +
            'the emulated vendors, was full there, and the latencies are its as much as the worker’s.'
          : ''),
    },
  ];
}

function costBlocks({ levels, dial }: CapacityFigures, sizing: Sizing): Block[] {
  const parts = [...new Set(levels.flatMap(({ cores }) => Object.keys(cores)))];
  return [
    { kind: 'heading', text: 'Processor by part' },
    {
      kind: 'table',
      head: ['Cores (measured)', ...levels.map(({ calls }) => `${calls} calls`)],
      rows: parts.map((part) => [part, ...levels.map(({ cores }) => (cores[part] ?? 0).toFixed(2))]),
    },
    {
      kind: 'plot',
      name: 'capacity-cpu',
      plot: {
        title: 'Processor by part',
        xLabel: 'simultaneous calls',
        yLabel: 'cores',
        lines: parts.map((part) => ({
          name: part,
          points: levels.map(({ calls, cores }) => [calls, cores[part] ?? 0] as const),
        })),
      },
    },
    { kind: 'heading', text: 'Cost of a call' },
    {
      kind: 'list',
      items: [
        `Worker: ${sizing.cpuPerCall.toFixed(1)} ms of a core a second of call (measured).`,
        `Worker memory: ${(sizing.memoryPerCall / 1e6).toFixed(1)} MB a call above ${(sizing.memoryBase / 1e6).toFixed(0)} MB (measured: the slope over the levels).`,
        `Control plane: ${dial.controlPlaneMs.toFixed(0)} ms of a core a call (measured over ${dial.calls} calls of campaigns that nobody answers, idle time included).`,
        `Store: ${dial.storeMs.toFixed(0)} ms of a core a call (measured over the same; embedded).`,
      ],
    },
  ];
}

function formulaBlocks(sizing: Sizing, dial: DialCost): Block[] {
  const share = PLANNED_SHARE * 100;
  return [
    { kind: 'heading', text: 'Sizing' },
    {
      kind: 'text',
      text: `C is the most simultaneous calls, R the most calls begun a second (R = C ÷ mean length in seconds). Cores are planned to ${share} %, for bursts need the rest (computed from the costs above):`,
    },
    {
      kind: 'list',
      items: [
        `worker cores = C × ${sizing.cpuPerCall.toFixed(1)} ms ÷ 1000 ÷ ${PLANNED_SHARE}; one worker process a core`,
        `worker memory = workers × ${(sizing.memoryBase / 1e6).toFixed(0)} MB + C × ${(sizing.memoryPerCall / 1e6).toFixed(1)} MB`,
        `control plane cores = R × ${dial.controlPlaneMs.toFixed(0)} ms ÷ 1000 ÷ ${PLANNED_SHARE}; one replica a core, at least two`,
        `store cores = R × ${dial.storeMs.toFixed(0)} ms ÷ 1000 ÷ ${PLANNED_SHARE}; above one core MongoDB in place of the embedded store`,
      ],
    },
  ];
}

function growthBlocks(levels: readonly Level[], sizing: Sizing, dial: DialCost): Block[] {
  const base = sizing.knee ?? levels.at(-1)!.calls;
  const rows = [1, ...FACTORS].map((factor) => project(factor, base, sizing, dial));
  return [
    { kind: 'heading', text: 'What gives first' },
    {
      kind: 'text',
      text: `All computed, from ${base} simultaneous calls on one worker (measured) and a mean call of ${MEAN_CALL_SECONDS} s (assumed).`,
    },
    {
      kind: 'table',
      head: ['', ...rows.map(({ factor }) => `${factor}×`)],
      rows: [
        ['simultaneous calls', ...rows.map(({ calls }) => short(calls))],
        ['calls begun a second', ...rows.map(({ callsPerSecond }) => short(callsPerSecond))],
        ['worker cores', ...rows.map(({ workerCores }) => short(workerCores))],
        ['worker memory (GB)', ...rows.map(({ workerMemoryGb }) => short(workerMemoryGb))],
        ['media network, both ways (Mbit/s)', ...rows.map(({ networkMbit }) => short(networkMbit))],
        ['control plane cores', ...rows.map(({ controlPlaneCores }) => short(controlPlaneCores))],
        ['store cores (embedded)', ...rows.map(({ storeCores }) => short(storeCores))],
        ['store commands a second', ...rows.map((row) => short(row.storeCommandsPerSecond))],
        ['new data in the store (GB a day)', ...rows.map((row) => short(row.storageGbPerDay))],
      ],
    },
    {
      kind: 'list',
      items: rows.map(({ factor, bottleneck }) => `${factor}× (computed): ${bottleneck}.`),
    },
  ];
}
