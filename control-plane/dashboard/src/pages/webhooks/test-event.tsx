import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { dataOf } from '../../api/client.js';
import { useApi } from '../../api/mode.js';
import type { EventType, Webhook } from '../../api/types.js';
import { Button } from '../../ui/button.js';
import { CodeBlock } from '../../ui/code-block.js';
import { Dialog } from '../../ui/dialog.js';
import { ErrorState } from '../../ui/error-state.js';
import { Field, Select } from '../../ui/field.js';
import { eventTypesQuery } from './query.js';

/** Sends the catalog's example of an event to one subscription. */
export function TestEvent({
  webhook,
  onClose,
}: {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}): ReactNode {
  const context = useApi();
  const { mode, api } = context;
  const client = useQueryClient();
  const types = useQuery(eventTypesQuery(context));
  const { register, handleSubmit, watch } = useForm({ defaultValues: { event_type: 'call.completed' } });
  const send = useMutation({
    mutationFn: ({ event_type }: { readonly event_type: string }) =>
      dataOf(
        api.POST('/api/v1/webhooks/{webhook_id}/test', {
          params: { path: { webhook_id: webhook.id } },
          // One of the catalog's, which the API has sent.
          body: { event_type: event_type as EventType },
        }),
      ),
    onSuccess: async ({ event_type }) => {
      await client.invalidateQueries({ queryKey: [mode, 'webhooks', webhook.id, 'deliveries'] });
      toast.success(`A test ${event_type} is on its way`);
      onClose();
    },
  });
  const chosen = types.data?.find(({ event_type }) => event_type === watch('event_type'));
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Send a test event"
      description="To this webhook alone, whatever it is subscribed to. It is signed as every other."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => void handleSubmit((values) => send.mutate(values))(event)}
      >
        <Field label="Event" hint={chosen?.description}>
          {(ids) => (
            <Select {...ids} {...register('event_type')}>
              {(types.data ?? [{ event_type: 'call.completed' }]).map(({ event_type }) => (
                <option key={event_type} value={event_type}>
                  {event_type}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {chosen && <CodeBlock code={JSON.stringify(chosen.example, null, 2)} label="example of the body" />}
        {send.isError && <ErrorState title="The event could not be sent" error={send.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={send.isPending}>
            Send
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
