import type { TurnTakingSettings } from '@voice/shared/contracts/agent';
import type { BuiltProgram } from '@voice/shared/process/built-program';
import { runCalls } from './call-scenario.js';
import { percentiles } from './report.js';
import { type Speech, withPauses } from './speech.js';
import { idealResponseMs, MULAW_CASCADE } from './subject.js';

type Mode = TurnTakingSettings['preemptive_generation'];
const MODES: readonly Mode[] = ['off', 'llm', 'llm_and_voice'];

/** What answers begun before the caller's turn is over came to. */
export interface PreemptionResult {
  readonly mode: Mode;
  readonly answers: number;
  /** At p50, in ms. */
  readonly responseMs: number | null;
  /** By how much that is below the sum of the vendors' delays and the endpointing. */
  readonly belowVendorDelaysMs: number | null;
  readonly turns: number;
  readonly kept: number;
  /** Each is a request to the model that no answer came of. */
  readonly dropped: number;
}

/** Holds calls in which one utterance in five has a pause, without preemptive generation and with each kind of it. */
export async function runPreemption(
  calls: number,
  seconds: number,
  speech: Speech,
): Promise<PreemptionResult[]> {
  const results: PreemptionResult[] = [];
  for (const mode of MODES) {
    const subject = { ...MULAW_CASCADE, preemption: mode };
    const counted: Counted[] = [];
    const count = async (worker: BuiltProgram) => void counted.push(await readCounters(worker));
    const { samples } = await runCalls(subject, calls, seconds, withPauses(speech), { onEdge: count });
    const [before, after] = counted;
    const { p50, count: answers } = percentiles(samples.responses);
    results.push({
      mode,
      answers,
      responseMs: p50,
      belowVendorDelaysMs: p50 === null ? null : idealResponseMs(subject) - p50,
      turns: (after?.turns ?? 0) - (before?.turns ?? 0),
      kept: (after?.kept ?? 0) - (before?.kept ?? 0),
      dropped: (after?.dropped ?? 0) - (before?.dropped ?? 0),
    });
  }
  return results;
}

interface Counted {
  readonly turns: number;
  readonly kept: number;
  readonly dropped: number;
}

async function readCounters(worker: BuiltProgram): Promise<Counted> {
  const text = await (await fetch(`http://127.0.0.1:${worker.port}/metrics`)).text();
  const read = (name: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1] ?? 0,
    );
  const answers = (outcome: string) => read(`worker_speculative_answers_total{outcome="${outcome}"}`);
  return { turns: read('worker_caller_turns_total'), kept: answers('kept'), dropped: answers('dropped') };
}

/** Renders the results as a table; the gain is set against the same calls without preemptive generation. */
export function preemptionTable(results: readonly PreemptionResult[]): string {
  const off = results.find(({ mode }) => mode === 'off')?.responseMs ?? null;
  const rows: readonly (readonly [string, (result: PreemptionResult) => string])[] = [
    ['answers measured', ({ answers }) => `${answers}`],
    ['response latency p50 (ms)', ({ responseMs }) => whole(responseMs)],
    ['below the sum of vendor delays (ms)', ({ belowVendorDelaysMs }) => whole(belowVendorDelaysMs)],
    ['gain (ms)', ({ responseMs }) => (off === null || responseMs === null ? '–' : whole(off - responseMs))],
    ['answers begun early and kept, a turn', ({ kept, turns }) => share(kept, turns)],
    ['extra model requests a turn', ({ dropped, turns }) => share(dropped, turns)],
  ];
  const head = ['', ...results.map(({ mode }) => mode)];
  const lines = rows.map(([name, read]) => [name, ...results.map(read)]);
  const widths = head.map((_, column) => Math.max(...[head, ...lines].map((line) => line[column]!.length)));
  return [head, ...lines]
    .map((line) =>
      line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '),
    )
    .join('\n');
}

const whole = (value: number | null) => (value === null ? '–' : value.toFixed(0));
const share = (count: number, turns: number) => (turns === 0 ? '–' : (count / turns).toFixed(2));
