import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createLazyRoute, getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ArrowLeft, Send } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { toast } from 'sonner';
import { dataOf } from '../../api/client.js';
import { useApi } from '../../api/mode.js';
import { shownIn, useOptimistic } from '../../api/optimistic.js';
import type { Webhook } from '../../api/types.js';
import { Button } from '../../ui/button.js';
import { CodeBlock } from '../../ui/code-block.js';
import { Confirmation } from '../../ui/confirmation.js';
import { Dialog } from '../../ui/dialog.js';
import { ErrorState } from '../../ui/error-state.js';
import { Page } from '../../ui/page.js';
import { SkeletonRows } from '../../ui/skeleton.js';
import { Deliveries } from './deliveries-list.js';
import { EditWebhook } from './edit.js';
import { eventsText } from './form.js';
import { webhookQuery, webhooksQuery } from './query.js';
import { SIGNATURE_SAMPLE } from './signature-sample.js';
import { WebhookStatus } from './status.js';
import { TestEvent } from './test-event.js';

export const route = createLazyRoute('/webhooks/$webhookId')({ component: WebhookPage });
const routeApi = getRouteApi('/webhooks/$webhookId');

function WebhookPage(): ReactNode {
  const { webhookId } = routeApi.useParams();
  const webhook = useQuery(webhookQuery(useApi(), webhookId));
  const back = (
    <Link to="/webhooks" className="mb-1 inline-flex items-center gap-1 text-muted hover:underline">
      <ArrowLeft aria-hidden className="size-3.5" /> Webhooks
    </Link>
  );
  if (webhook.data !== undefined) return <Shown webhook={webhook.data} back={back} />;
  return (
    <Page title="Webhook" before={back}>
      {webhook.isPending ? (
        <SkeletonRows />
      ) : (
        <ErrorState
          title="The webhook could not be loaded"
          error={webhook.error}
          onRetry={() => void webhook.refetch()}
        />
      )}
    </Page>
  );
}

type Asked = 'edit' | 'test' | 'delete' | 'verify' | null;

function Shown({ webhook, back }: { readonly webhook: Webhook; readonly back: ReactNode }): ReactNode {
  const context = useApi();
  const [asked, setAsked] = useState<Asked>(null);
  const close = () => setAsked(null);
  const toggle = useOptimistic({
    change: (active: boolean) =>
      dataOf(
        context.api.PATCH('/api/v1/webhooks/{webhook_id}', {
          params: { path: { webhook_id: webhook.id } },
          body: { is_active: active },
        }),
      ),
    shows: (active) => [
      shownIn(webhookQuery(context, webhook.id), (shown) => ({ ...shown, is_active: active })),
      shownIn(webhooksQuery(context), (all) =>
        all.map((each) => (each.id === webhook.id ? { ...each, is_active: active } : each)),
      ),
    ],
    queryKey: [context.mode, 'webhooks'],
    done: ({ is_active }) => `The webhook is ${is_active ? 'on' : 'off'}`,
    failure: (active) => `The webhook is still ${active ? 'off' : 'on'}`,
  });
  return (
    <Page
      fill
      title={webhook.url}
      before={back}
      badge={<WebhookStatus active={webhook.is_active} />}
      description={
        <>
          {webhook.description !== '' && `${webhook.description} · `}
          <span title={webhook.event_types.join(', ')}>{eventsText(webhook.event_types)}</span>
        </>
      }
      actions={
        <>
          <Button needs="testWebhook" variant="primary" onClick={() => setAsked('test')}>
            <Send aria-hidden className="size-4" /> Send a test event
          </Button>
          <Button onClick={() => setAsked('verify')}>Verify signatures</Button>
          <Button needs="updateWebhook" onClick={() => setAsked('edit')}>
            Edit
          </Button>
          <Button
            needs="updateWebhook"
            busy={toggle.isPending}
            onClick={() => toggle.mutate(!webhook.is_active)}
          >
            {webhook.is_active ? 'Switch off' : 'Switch on'}
          </Button>
          <Button needs="deleteWebhook" onClick={() => setAsked('delete')}>
            Delete
          </Button>
        </>
      }
    >
      <Deliveries webhook={webhook} />
      {asked === 'edit' && <EditWebhook webhook={webhook} onClose={close} />}
      {asked === 'test' && <TestEvent webhook={webhook} onClose={close} />}
      {asked === 'delete' && <DeleteWebhook webhook={webhook} onClose={close} />}
      {asked === 'verify' && (
        <Dialog
          open
          onOpenChange={close}
          title="Verify signatures"
          description="The secret was shown when the webhook was created. Who lost it creates another webhook."
        >
          <CodeBlock code={SIGNATURE_SAMPLE} label="code that verifies a signature" />
        </Dialog>
      )}
    </Page>
  );
}

function DeleteWebhook({
  webhook,
  onClose,
}: {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}): ReactNode {
  const { mode, api } = useApi();
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/api/v1/webhooks/{webhook_id}', { params: { path: { webhook_id: webhook.id } } })),
    onSuccess: async () => {
      toast.success('The webhook is deleted');
      await navigate({ to: '/webhooks' });
      client.removeQueries({ queryKey: [mode, 'webhooks', webhook.id] });
      await client.invalidateQueries({ queryKey: [mode, 'webhooks'] });
    },
  });
  return (
    <Confirmation
      title="Delete this webhook?"
      description={`${webhook.url} receives nothing from now on; deliveries that wait are skipped. To pause it, switch it off.`}
      yes="Delete"
      failure="The webhook could not be deleted"
      action={remove}
      onClose={onClose}
    />
  );
}
