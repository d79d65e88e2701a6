import type { ReactNode } from 'react';
import { latency } from '../../../format/time.js';
import { type StageMarks, waits } from '../turn-latency.js';
import { STAGE_COLORS } from './stage-colors.js';

interface WaterfallProps {
  readonly metrics: StageMarks & {
    readonly preempted: boolean;
    /** Measured in the recording, after the call. */
    readonly waveform_response_latency_ms?: number | null;
  };
  /** The wait that fills the whole width, in ms: the same for all turns, so that they can be compared. */
  readonly scaleMs: number;
}

/** What the caller waited for before an answer: one bar, a part for each stage, to the scale of the call. */
export function Waterfall({ metrics, scaleMs }: WaterfallProps): ReactNode {
  const stages = waits(metrics);
  const total = metrics.response_latency_ms;
  if (stages.length === 0 || total === null) return null;
  const words = stages.map(({ label, ms }) => `${label} ${latency(ms)}`).join(', ');
  const measured = metrics.waveform_response_latency_ms ?? null;
  return (
    <div className="mt-1.5 flex items-center gap-2 text-xs text-muted">
      <span
        role="img"
        aria-label={`Answered after ${latency(total)}: ${words}`}
        title={words}
        className="flex h-2 max-w-sm flex-1 overflow-hidden rounded-sm bg-sunken"
      >
        {stages.map(({ stage, ms }) => (
          <span
            key={stage}
            className={STAGE_COLORS[stage]}
            style={{ width: `${Math.min(100, (ms / scaleMs) * 100)}%` }}
          />
        ))}
      </span>
      <span className="font-medium whitespace-nowrap tabular-nums">{latency(total)}</span>
      {metrics.preempted && <span title="The answer was begun before the turn was over.">early</span>}
      {measured !== null && (
        <span className="hidden whitespace-nowrap tabular-nums sm:inline" title="Measured in the recording">
          heard {latency(Math.max(0, measured))}
        </span>
      )}
    </div>
  );
}
