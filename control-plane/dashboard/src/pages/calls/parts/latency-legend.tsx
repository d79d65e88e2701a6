import type { ReactNode } from 'react';
import { STAGES } from '../turn-latency.js';
import { STAGE_COLORS } from './stage-colors.js';

/** What the colours of the waterfalls mean. */
export function LatencyLegend(): ReactNode {
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted" aria-label="Colours of the latency">
      {STAGES.map(({ key, label }) => (
        <li key={key} className="flex items-center gap-1">
          <span aria-hidden className={`size-2.5 rounded-sm ${STAGE_COLORS[key]}`} />
          {label}
        </li>
      ))}
    </ul>
  );
}
