import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useApi } from '../../api/mode.js';
import type { ComplianceCheck } from '../../api/types.js';
import { dateTime } from '../../format/time.js';
import { CodeBlock } from '../../ui/code-block.js';
import { Dialog } from '../../ui/dialog.js';
import { ErrorState } from '../../ui/error-state.js';
import { Skeleton } from '../../ui/skeleton.js';
import { DecisionBadge, Outcomes } from './outcomes.js';
import { checkQuery } from './query.js';
import { evidenceOf, REASONS, reasonText } from './words.js';

interface CheckDialogProps {
  readonly checkId: string;
  readonly onClose: () => void;
}

/** One check: what was decided, why, what to do about it, and what it was decided from. */
export function CheckDialog({ checkId, onClose }: CheckDialogProps): ReactNode {
  const check = useQuery(checkQuery(useApi(), checkId));
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={check.data?.to_number ?? 'Compliance check'}
      description={check.data && `Checked ${dateTime(check.data.checked_at)}`}
    >
      {check.isPending ? (
        <Skeleton className="h-48" />
      ) : check.isError ? (
        <ErrorState title="The check could not be loaded" error={check.error} />
      ) : (
        <Shown check={check.data} />
      )}
    </Dialog>
  );
}

function Shown({ check }: { readonly check: ComplianceCheck }): ReactNode {
  return (
    <>
      <section aria-label="Decision" className="flex flex-col gap-2">
        <p>
          <DecisionBadge decision={check.decision} />
        </p>
        {check.reasons.map((reason) => (
          <p key={reason}>
            <span className="font-medium">{reasonText(reason)}.</span> {REASONS[reason]?.remedy}
          </p>
        ))}
        {check.next_open_at !== null && <p>The hours open {dateTime(check.next_open_at)}.</p>}
        <Outcomes check={check} />
      </section>
      <section aria-label="Evidence" className="flex flex-col gap-2">
        <h3 className="font-semibold">What it was decided from</h3>
        <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[auto_minmax(0,1fr)]">
          {evidenceOf(check).map(([name, fact]) => (
            <div key={name} className="contents">
              <dt className="text-muted">{name}</dt>
              <dd className="break-words">{fact}</dd>
            </div>
          ))}
        </dl>
        <details>
          <summary className="cursor-pointer">As it is stored</summary>
          <div className="mt-2">
            <CodeBlock code={JSON.stringify(check, null, 2)} label="the check as JSON" />
          </div>
        </details>
      </section>
    </>
  );
}
