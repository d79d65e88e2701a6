/** What became of a mutant. */
type Fate = 'killed' | 'survived' | 'not covered' | 'not run';

export interface JudgedMutant {
  readonly file: string;
  /** Of the source, from 1. */
  readonly line: number;
  readonly original: string;
  readonly replacement: string;
  readonly fate: Fate;
  /** Whether it was killed because a test took too long; on a machine that is busy, that may be its own fault. */
  readonly timedOut: boolean;
}

export interface Score {
  readonly killed: number;
  /** Not judged by every test file: time was up. They may yet be killed. */
  readonly notRun: number;
  /** Killed, in percent of all; 100 where there were none. */
  readonly percent: number;
}

/** Pure. */
export function scoreOf(mutants: readonly Pick<JudgedMutant, 'fate'>[]): Score {
  const count = (fate: Fate) => mutants.filter((mutant) => mutant.fate === fate).length;
  const killed = count('killed');
  const percent = mutants.length === 0 ? 100 : (100 * killed) / mutants.length;
  return { killed, notRun: count('not run'), percent };
}

/** Returns the survivors file by file, and the score. Pure. */
export function reportText(folder: string, mutants: readonly JudgedMutant[], total: number): string {
  const alive = mutants.filter(({ fate }) => fate === 'survived' || fate === 'not covered');
  const lines: string[] = [];
  for (const file of [...new Set(alive.map((mutant) => mutant.file))].sort()) {
    lines.push(file);
    const here = alive.filter((mutant) => mutant.file === file).sort((a, b) => a.line - b.line);
    for (const { line, original, replacement, fate } of here) {
      const what =
        replacement === '' ? `without ${short(original)}` : `${short(original)}  →  ${short(replacement)}`;
      lines.push(`  ${String(line).padStart(4)}  ${what}${fate === 'survived' ? '' : '  (no test runs it)'}`);
    }
    lines.push('');
  }
  const { killed, percent, notRun } = scoreOf(mutants);
  const sample = mutants.length < total ? ` (a sample of ${total})` : '';
  const late = mutants.filter(({ fate, timedOut }) => fate === 'killed' && timedOut).length;
  const slowly = late > 0 ? ` (${late} by time-out)` : '';
  const bound = notRun > 0 ? 'at least ' : '';
  lines.push(
    `${folder}: ${killed} of ${mutants.length} mutants killed${slowly}, ${bound}${percent.toFixed(1)} %${sample}`,
  );
  if (notRun > 0) lines.push(`Out of time: ${notRun} mutants were not judged to the end. See --minutes.`);
  return `${lines.join('\n')}\n`;
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= 90 ? line : `${line.slice(0, 89)}…`;
}
