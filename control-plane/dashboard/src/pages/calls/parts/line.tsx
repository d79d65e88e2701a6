import type { ReactNode } from 'react';
import type { CallDetail } from '../../../api/types.js';
import { Card } from '../../../ui/page.js';

/** How good the line was; nothing where it was not measured. */
export function Line({ call: { metrics, carrier } }: { readonly call: CallDetail }): ReactNode {
  const { line } = metrics;
  if (line === null) return null;
  const total = line.packets_received + line.packets_lost;
  const facts: readonly (readonly [string, string])[] = [
    ['Lost', total === 0 ? '–' : `${((line.packets_lost / total) * 100).toFixed(1)} %`],
    ['Jitter', `${Math.round(line.jitter_ms)} ms`],
    ['Buffer', `${Math.round(line.buffer_ms)} ms`],
    ['Round trip', line.round_trip_ms === null ? '–' : `${Math.round(line.round_trip_ms)} ms`],
  ];
  return (
    <Card title="Line" aside={<span className="text-muted">{carrier}</span>}>
      <dl className="grid grid-cols-4 px-4 py-2">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className="text-xs text-muted">{name}</dt>
            <dd className="font-medium tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
