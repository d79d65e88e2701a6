import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useCallback, useState } from 'react';
import { toast } from 'sonner';
import { dataOf } from '../../../api/client.js';
import type { Integration } from '../../../api/types.js';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { ErrorState } from '../../../ui/error-state.js';
import { Field, Input } from '../../../ui/field.js';
import { accountApi } from '../account-api.js';
import { useConnections } from './connections.js';
import { ConsentTab } from './consent-tab.js';
import { integrationsQuery } from './query.js';

interface ConnectProps {
  readonly integration: Integration;
}

interface ConnectOfferProps extends ConnectProps {
  /** The page stays as it is, with what was typed in it: the vendor's own page opens in another tab. */
  readonly inNewTab?: boolean;
}

/** Offers to connect, or says why that cannot be. */
export function ConnectOffer(props: ConnectOfferProps): ReactNode {
  return props.integration.available ? (
    <ConnectButton {...props} />
  ) : (
    <p className="text-xs text-muted">
      The operator of this installation has not set it up: it needs the vendor’s client id and secret.
    </p>
  );
}

/** Connects: at the vendor's own page, or by what is typed in here. */
function ConnectButton({ integration, inNewTab = false }: ConnectOfferProps): ReactNode {
  const [typing, setTyping] = useState(false);
  const [tab] = useState(() => new ConsentTab());
  useConnections(useCallback(() => tab.close(), [tab]));
  const { slug, name, connection_kind: kind } = integration;
  const go = useMutation({
    mutationFn: () =>
      dataOf(accountApi.POST('/api/v1/integrations/{slug}/connect', { params: { path: { slug } } })),
    onSuccess: ({ redirect_url }) => {
      if (!tab.leadTo(redirect_url)) location.assign(redirect_url);
    },
    onError: (error) => {
      tab.close();
      toast.error(error.message);
    },
  });
  const leave = () => {
    if (inNewTab) tab.open();
    go.mutate();
  };
  return (
    <>
      <Button
        needs={kind === 'oauth' ? 'connectIntegration' : 'connectIntegrationByKey'}
        variant="primary"
        busy={go.isPending}
        aria-label={`Connect ${name}`}
        onClick={() => (kind === 'oauth' ? leave() : setTyping(true))}
      >
        {integration.status === 'reconnect_needed' ? 'Connect again' : 'Connect'}
      </Button>
      {typing && <ConnectByKey integration={integration} onClose={() => setTyping(false)} />}
    </>
  );
}

function ConnectByKey({ integration, onClose }: ConnectProps & { readonly onClose: () => void }): ReactNode {
  const { slug, name, fields } = integration;
  const client = useQueryClient();
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const connect = useMutation({
    mutationFn: () =>
      dataOf(
        accountApi.POST('/api/v1/integrations/{slug}/api-key-connect', {
          params: { path: { slug } },
          body: typed,
        }),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: integrationsQuery.queryKey });
      toast.success(`${name} is connected`);
      onClose();
    },
  });
  const isWhole = fields.every((field) => (typed[field.name] ?? '').trim() !== '');
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (isWhole) connect.mutate();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Connect ${name}`}
      description="It is tried before it is kept, and kept encrypted."
    >
      <form className="flex flex-col gap-4" onSubmit={send}>
        {fields.map((field) => (
          <Field key={field.name} label={labelOf(field.name)} hint={field.description}>
            {(ids) => (
              <Input
                {...ids}
                autoComplete="off"
                spellCheck={false}
                type={field.name === 'api_key' || field.name === 'token' ? 'password' : 'text'}
                value={typed[field.name] ?? ''}
                onChange={({ target }) => setTyped({ ...typed, [field.name]: target.value })}
              />
            )}
          </Field>
        ))}
        {connect.isError && <ErrorState title={`${name} could not be connected`} error={connect.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" disabled={!isWhole} busy={connect.isPending}>
            Connect
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const LABELS: Readonly<Record<string, string>> = {
  api_key: 'API key',
  token: 'Token',
  base_id: 'Base id',
  webhook_url: 'Webhook URL',
};
const labelOf = (field: string): string => LABELS[field] ?? field;
