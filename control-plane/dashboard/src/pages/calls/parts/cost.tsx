import type { ReactNode } from 'react';
import type { CallDetail } from '../../../api/types.js';
import { money } from '../../../format/money.js';
import { Card } from '../../../ui/page.js';

const PARTS = [
  ['stt', 'Recogniser'],
  ['llm', 'Model'],
  ['tts', 'Voice'],
  ['carrier', 'Carrier'],
  ['service', 'Service'],
] as const;

/** What the call cost, by part; nothing before it is counted. */
export function Cost({ call: { cost, duration_ms: duration } }: { readonly call: CallDetail }): ReactNode {
  if (cost === null) return null;
  const perMinute = duration === null || duration === 0 ? null : (cost.total / duration) * 60_000;
  return (
    <Card
      title="Cost"
      aside={
        <span className="tabular-nums">
          <strong>{money(cost.total)}</strong>
          {perMinute !== null && <span className="text-muted"> · {money(perMinute)} a minute</span>}
        </span>
      }
    >
      <dl className="px-4 py-2">
        {PARTS.map(([key, name]) => (
          <div key={key} className="flex items-center gap-3 py-1">
            <dt className="w-24 text-muted">{name}</dt>
            <dd className="flex flex-1 items-center gap-3">
              <span aria-hidden className="h-1.5 flex-1 overflow-hidden rounded-sm bg-sunken">
                <span
                  className="block h-full bg-accent"
                  style={{ width: `${cost.total === 0 ? 0 : (cost[key] / cost.total) * 100}%` }}
                />
              </span>
              <span className="w-20 text-right tabular-nums">{money(cost[key])}</span>
            </dd>
          </div>
        ))}
      </dl>
      {cost.wasted !== undefined && (
        <p className="border-t border-line px-4 py-2 text-xs text-muted">
          {money(cost.wasted)} of it was for words that nobody heard: answers begun early and dropped, or cut
          off.
        </p>
      )}
    </Card>
  );
}
