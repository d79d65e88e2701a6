import { useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router';
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useApi } from '../../api/mode.js';
import type { Webhook } from '../../api/types.js';
import { Button } from '../../ui/button.js';
import { CodeBlock } from '../../ui/code-block.js';
import { columnsOf } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { List } from '../../ui/list.js';
import { Page } from '../../ui/page.js';
import { Time } from '../../ui/time.js';
import { CreateWebhook } from './edit.js';
import { eventsText } from './form.js';
import { webhooksQuery } from './query.js';
import { SIGNATURE_SAMPLE } from './signature-sample.js';
import { WebhookStatus } from './status.js';

export const route = createLazyRoute('/webhooks')({ component: WebhooksPage });

const column = columnsOf<Webhook>();

const COLUMNS = [
  column.accessor('url', {
    header: 'Address',
    meta: { width: 'minmax(14rem, 3fr)', phoneWidth: 'minmax(0, 1fr)' },
    cell: ({ row: { original } }) => (
      <Link
        to="/webhooks/$webhookId"
        params={{ webhookId: original.id }}
        className="font-medium hover:underline"
      >
        {original.url}
      </Link>
    ),
  }),
  column.accessor('description', {
    header: 'Description',
    meta: { width: 'minmax(8rem, 2fr)' },
    cell: ({ getValue }) => <span className="text-muted">{getValue()}</span>,
  }),
  column.accessor('event_types', {
    header: 'Events',
    meta: { width: 'minmax(10rem, 1fr)' },
    cell: ({ getValue }) => eventsText(getValue()),
  }),
  column.accessor('is_active', {
    header: 'Status',
    meta: { width: '7rem', phoneWidth: '5.5rem' },
    cell: ({ getValue }) => <WebhookStatus active={getValue()} />,
  }),
  column.accessor('created_at', {
    header: 'Created',
    meta: { width: '8rem' },
    cell: ({ getValue }) => <Time quiet at={getValue()} />,
  }),
];

function WebhooksPage(): ReactNode {
  const context = useApi();
  const navigate = useNavigate();
  const webhooks = useQuery(webhooksQuery(context));
  const [creating, setCreating] = useState(false);
  const open = (webhookId: string) =>
    void navigate({ to: '/webhooks/$webhookId', params: { webhookId }, search: {} });
  const create = (
    <Button needs="createWebhook" variant="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden className="size-4" /> Create webhook
    </Button>
  );
  return (
    <Page
      fill={webhooks.data?.length !== 0}
      title="Webhooks"
      description={`Your server learns of each event as it happens: signed, and retried for a day. These are of ${
        context.mode === 'live' ? 'live' : 'the sandbox'
      }.`}
      actions={create}
    >
      <List
        query={webhooks}
        failure="The webhooks could not be loaded"
        label="Webhooks"
        rows={webhooks.data ?? []}
        columns={COLUMNS}
        idOf={({ id }) => id}
        onOpen={({ id }) => open(id)}
        empty={
          <EmptyState icon={WebhookIcon} title="No webhooks in this mode" action={create}>
            <p>
              Give an address and choose events: when a call ends or its analysis is ready, your server gets
              it as JSON. Answer with any 2xx within 10 seconds; anything else is tried again, up to 10 times
              in 24 hours. Check the signature first:
            </p>
            <div className="mt-4 text-left">
              <CodeBlock code={SIGNATURE_SAMPLE} label="code that verifies a signature" />
            </div>
          </EmptyState>
        }
      />
      {creating && <CreateWebhook onClose={() => setCreating(false)} onCreated={open} />}
    </Page>
  );
}
