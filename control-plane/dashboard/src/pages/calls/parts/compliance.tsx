import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../../../api/mode.js';
import { dateTime } from '../../../format/time.js';
import { ErrorState } from '../../../ui/error-state.js';
import { Card } from '../../../ui/page.js';
import { Skeleton } from '../../../ui/skeleton.js';
import { DecisionBadge, Outcomes } from '../../compliance/outcomes.js';
import { checkQuery } from '../../compliance/query.js';

/** The evidence that the call was allowed; nothing for calls that need none. */
export function Compliance({ checkId }: { readonly checkId: string | null }): ReactNode {
  return checkId === null ? null : <Check checkId={checkId} />;
}

function Check({ checkId }: { readonly checkId: string }): ReactNode {
  const check = useQuery(checkQuery(useApi(), checkId));
  return (
    <Card title="Compliance" aside={check.data && <DecisionBadge decision={check.data.decision} />}>
      <div className="px-4 py-2">
        {check.isPending ? (
          <Skeleton className="my-1 h-28" />
        ) : check.isLoadingError ? (
          <ErrorState title="The evidence could not be loaded" error={check.error} />
        ) : (
          <>
            <Outcomes check={check.data} />
            <p className="border-t border-line pt-2 text-xs text-muted">
              Checked {dateTime(check.data.checked_at)}
              {check.data.state !== null && ` · ${check.data.state}`}
              {check.data.timezone !== null && ` · ${check.data.timezone}`}
              {' · '}
              <Link to="/compliance" search={{ check: checkId }} className="underline">
                What it was decided from
              </Link>
            </p>
          </>
        )}
      </div>
    </Card>
  );
}
