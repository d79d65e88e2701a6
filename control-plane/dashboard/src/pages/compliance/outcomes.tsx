import type { ReactNode } from 'react';
import type { ComplianceCheck } from '../../api/types.js';
import { Badge } from '../../ui/badge.js';
import { CHECKS, DECISIONS, reasonText } from './words.js';

const TONES = { passed: 'good', failed: 'bad', not_evaluated: 'neutral' } as const;
const WORDS = { passed: 'Passed', failed: 'Failed', not_evaluated: 'Not evaluated' } as const;

/** How each part of a check came out. */
export function Outcomes({ check }: { readonly check: Pick<ComplianceCheck, 'checks'> }): ReactNode {
  return (
    <dl>
      {CHECKS.map(([key, name]) => {
        const { outcome, reason } = check.checks[key];
        return (
          <div key={key} className="flex flex-wrap items-baseline justify-between gap-x-3 py-1">
            <dt className="text-muted">{name}</dt>
            <dd className="text-right">
              {reason !== null && <span className="mr-2 text-xs text-muted">{reasonText(reason)}</span>}
              <Badge tone={TONES[outcome]}>{WORDS[outcome]}</Badge>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** Whether the call was allowed. */
export function DecisionBadge({ decision }: Pick<ComplianceCheck, 'decision'>): ReactNode {
  const { word, tone } = DECISIONS[decision];
  return <Badge tone={tone}>{word}</Badge>;
}
