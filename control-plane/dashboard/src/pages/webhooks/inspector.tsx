import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { toast } from 'sonner';
import { dataOf } from '../../api/client.js';
import { useApi } from '../../api/mode.js';
import type { Delivery as Attempt } from '../../api/types.js';
import { dateTime } from '../../format/time.js';
import { label } from '../../format/words.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { CodeBlock } from '../../ui/code-block.js';
import { Dialog } from '../../ui/dialog.js';
import { ErrorState } from '../../ui/error-state.js';
import { Skeleton } from '../../ui/skeleton.js';
import { Time } from '../../ui/time.js';
import { type Delivery, indented, requestHead, statusOf } from './deliveries.js';
import { deliveryBodyQuery } from './query.js';

interface InspectorProps {
  readonly delivery: Delivery;
  readonly onClose: () => void;
  readonly onReplayed: (deliveryId: string) => void;
}

/** One delivery: the request, each attempt with its answer, what comes next; sends it again. */
export function Inspector({ delivery, onClose, onReplayed }: InspectorProps): ReactNode {
  const { mode, api } = useApi();
  const client = useQueryClient();
  const { last, attempts } = delivery;
  const { word, tone } = statusOf(delivery);
  const replay = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/api/v1/webhooks/deliveries/{delivery_id}/replay', {
          params: { path: { delivery_id: last.id } },
        }),
      ),
    onSuccess: async ({ id }) => {
      // Those of its webhook and those of its call.
      await client.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[0] === mode && queryKey.at(-1) === 'deliveries',
      });
      toast.success('It is sent again, signed anew');
      onReplayed(id);
    },
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={last.event_type}
      description={<DeliveryLine delivery={delivery} />}
      actions={
        <Button
          needs="replayWebhookDelivery"
          variant="primary"
          busy={replay.isPending}
          onClick={() => replay.mutate()}
        >
          Send it again
        </Button>
      }
    >
      <section aria-label="Attempts" className="flex flex-col gap-2">
        <h3 className="flex items-center gap-2 font-semibold">
          Attempts <Badge tone={tone}>{word}</Badge>
        </h3>
        <ol className="flex flex-col gap-2">
          {attempts.map((attempt) => (
            <li key={attempt.id} className="flex items-baseline gap-3">
              <span className="w-5 text-right text-muted tabular-nums">{attempt.attempt}</span>
              <span className="min-w-0 flex-1 break-words">{attemptText(attempt)}</span>
              {attempt.status !== 'pending' && (
                <span className="text-xs text-muted">
                  <Time at={attempt.delivered_at ?? attempt.created_at} />
                </span>
              )}
            </li>
          ))}
        </ol>
      </section>
      <section aria-label="Request" className="flex flex-col gap-2">
        <h3 className="font-semibold">Request</h3>
        <CodeBlock code={requestHead(last)} label="head of the request" />
        <RequestBody deliveryId={last.id} />
      </section>
      {replay.isError && <ErrorState title="It could not be sent again" error={replay.error} />}
    </Dialog>
  );
}

/** The body that is sent, the same with every attempt. */
function RequestBody({ deliveryId }: { readonly deliveryId: string }): ReactNode {
  const delivery = useQuery(deliveryBodyQuery(useApi(), deliveryId));
  if (delivery.isPending) return <Skeleton className="h-24" />;
  if (delivery.isLoadingError)
    return <ErrorState title="The body could not be loaded" error={delivery.error} />;
  if (delivery.data.body === null) {
    return <p className="text-muted">The body is gone: its call was erased.</p>;
  }
  return <CodeBlock code={indented(delivery.data.body)} label="body of the request" />;
}

const DeliveryLine = ({ delivery: { last } }: { readonly delivery: Delivery }): ReactNode => (
  <span className="break-all">
    {label(last.origin)} · event <code className="font-mono text-xs">{last.event_id}</code>
  </span>
);

function attemptText({ status, response_status, error, next_attempt_at }: Attempt): string {
  if (status === 'pending') {
    return next_attempt_at === null ? 'Under way' : `Due at ${dateTime(next_attempt_at)}`;
  }
  if (status === 'skipped') return 'Skipped: the webhook was switched off or deleted.';
  return error ?? `The receiver answered ${response_status}.`;
}
