import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useApi } from '../../../app/mode.js';
import { dateTime } from '../../../format/time.js';
import { Badge } from '../../../ui/badge.js';
import { ErrorState } from '../../../ui/error-state.js';
import { Card } from '../../../ui/page.js';
import { Skeleton } from '../../../ui/skeleton.js';
import { complianceQuery } from '../query.js';

const CHECKS = [
  ['dnc', 'Do not call'],
  ['calling_hours', 'Calling hours'],
  ['recording_consent', 'Recording consent'],
  ['capacity', 'Capacity'],
  ['disclosure', 'Disclosure'],
] as const;
const TONES = { passed: 'good', failed: 'bad', not_evaluated: 'neutral' } as const;
const WORDS = { passed: 'Passed', failed: 'Failed', not_evaluated: 'Not evaluated' } as const;

/** The evidence that the call was allowed; nothing for calls that need none. */
export function Compliance({ checkId }: { readonly checkId: string | null }): ReactNode {
  return checkId === null ? null : <Check checkId={checkId} />;
}

function Check({ checkId }: { readonly checkId: string }): ReactNode {
  const check = useQuery(complianceQuery(useApi(), checkId));
  return (
    <Card
      title="Compliance"
      aside={
        check.data && (
          <Badge tone={check.data.decision === 'allowed' ? 'good' : 'bad'}>
            {check.data.decision === 'allowed' ? 'Allowed' : 'Denied'}
          </Badge>
        )
      }
    >
      <div className="px-4 py-2">
        {check.isPending ? (
          <Skeleton className="my-1 h-28" />
        ) : check.isError ? (
          <ErrorState title="The evidence could not be loaded" error={check.error} />
        ) : (
          <>
            <dl>
              {CHECKS.map(([key, name]) => {
                const { outcome, reason } = check.data.checks[key];
                return (
                  <div key={key} className="flex flex-wrap items-baseline justify-between gap-x-3 py-1">
                    <dt className="text-muted">{name}</dt>
                    <dd className="text-right">
                      {reason !== null && <span className="mr-2 text-xs text-muted">{reason}</span>}
                      <Badge tone={TONES[outcome]}>{WORDS[outcome]}</Badge>
                    </dd>
                  </div>
                );
              })}
            </dl>
            <p className="border-t border-line pt-2 text-xs text-muted">
              Checked {dateTime(check.data.checked_at)}
              {check.data.state !== null && ` · ${check.data.state}`}
              {check.data.timezone !== null && ` · ${check.data.timezone}`}
            </p>
          </>
        )}
      </div>
    </Card>
  );
}
