import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { useApi } from '../../../api/mode.js';
import { Badge } from '../../../ui/badge.js';
import { Button } from '../../../ui/button.js';
import { ErrorState } from '../../../ui/error-state.js';
import { Card } from '../../../ui/page.js';
import { SkeletonRows } from '../../../ui/skeleton.js';
import { Time } from '../../../ui/time.js';
import { VirtualList } from '../../../ui/virtual-list.js';
import { answerText, type Delivery, deliveriesOf, statusOf } from '../../webhooks/deliveries.js';
import { Inspector } from '../../webhooks/inspector.js';
import { callDeliveriesQuery } from '../query.js';

/** Which webhooks were sent the call's events, and what they answered; one opens with its attempts. */
export function Webhooks({ callId }: { readonly callId: string }): ReactNode {
  const listed = useInfiniteQuery(callDeliveriesQuery(useApi(), callId));
  const [inspected, setInspected] = useState<string | null>(null);
  const deliveries = useMemo(
    () => deliveriesOf(listed.data?.pages.flatMap((page) => page.deliveries) ?? []),
    [listed.data],
  );
  const open = deliveries.find(({ attempts }) => attempts.some(({ id }) => id === inspected));
  return (
    <Card title="Webhooks">
      {listed.isPending && <SkeletonRows rows={2} />}
      {listed.isSuccess && deliveries.length === 0 && <Nothing />}
      {deliveries.length > 0 && (
        <VirtualList
          label="Deliveries"
          rows={deliveries}
          idOf={({ id }) => id}
          rowHeight={64}
          className="max-h-96"
        >
          {(delivery) => <Row delivery={delivery} onInspect={setInspected} />}
        </VirtualList>
      )}
      {listed.hasNextPage && (
        <div className="border-t border-line px-4 py-2">
          <Button size="small" busy={listed.isFetchingNextPage} onClick={() => void listed.fetchNextPage()}>
            Show older ones
          </Button>
        </div>
      )}
      {listed.isError && (
        <div className="p-4">
          <ErrorState
            title="The deliveries could not be loaded"
            error={listed.error}
            onRetry={() => void listed.refetch()}
          />
        </div>
      )}
      {open && <Inspector delivery={open} onClose={() => setInspected(null)} onReplayed={setInspected} />}
    </Card>
  );
}

const Nothing = (): ReactNode => (
  <p className="px-4 py-3 text-muted">
    No webhook was sent an event of this call in the last 30 days.{' '}
    <Link to="/webhooks" className="font-medium text-accent underline">
      Create a webhook
    </Link>{' '}
    to have the events of calls sent to your server as they happen; each delivery is then listed here with its
    answer.
  </p>
);

interface RowProps {
  readonly delivery: Delivery;
  /** Takes the id of one of its attempts. */
  readonly onInspect: (attemptId: string) => void;
}

function Row({ delivery, onInspect }: RowProps): ReactNode {
  const { id, last } = delivery;
  const { word, tone } = statusOf(delivery);
  return (
    <div className="flex flex-col gap-1 border-b border-line px-4 py-2">
      <div className="flex items-center gap-2">
        <button
          type="button"
          aria-label={`Inspect the delivery of ${last.event_type}`}
          className="min-h-6 min-w-0 flex-1 truncate text-left hover:underline"
          onClick={() => onInspect(id)}
        >
          <code className="font-mono text-xs">{last.event_type}</code>
        </button>
        {last.origin === 'replay' && <span className="text-xs text-muted">Replay</span>}
        <Badge tone={tone}>{word}</Badge>
        <span className="text-xs">
          <Time quiet at={last.created_at} />
        </span>
      </div>
      <div className="flex flex-wrap items-baseline gap-x-3 text-xs text-muted">
        <Link
          to="/webhooks/$webhookId"
          params={{ webhookId: last.webhook_id }}
          search={{ delivery: id }}
          className="max-w-full truncate leading-6 hover:underline"
        >
          {last.url}
        </Link>
        <span>{last.attempt === 1 ? '1 attempt' : `${last.attempt} attempts`}</span>
        <span className="min-w-0 break-words">{answerText(delivery)}</span>
      </div>
    </div>
  );
}
