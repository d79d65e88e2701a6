import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { dataOf } from '../../api/client.js';
import { useApi } from '../../api/mode.js';
import type { Webhook } from '../../api/types.js';
import { Button } from '../../ui/button.js';
import { CodeBlock, CopyButton } from '../../ui/code-block.js';
import { Dialog } from '../../ui/dialog.js';
import { ErrorState } from '../../ui/error-state.js';
import { Field, Input } from '../../ui/field.js';
import { EventChoice } from './event-choice.js';
import { bodyOf, formOf, type WebhookForm, webhookForm } from './form.js';
import { SIGNATURE_SAMPLE } from './signature-sample.js';

/** Creates a subscription of the chosen mode, and shows its secret this once. */
export function CreateWebhook({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: (webhookId: string) => void;
}): ReactNode {
  const { mode, api } = useApi();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (values: WebhookForm) => dataOf(api.POST('/api/v1/webhooks', { body: bodyOf(values) })),
    onSuccess: () => client.invalidateQueries({ queryKey: [mode, 'webhooks'] }),
  });
  const { data } = create;
  if (data !== undefined) {
    const done = () => onCreated(data.id);
    return (
      <Dialog
        open
        onOpenChange={done}
        title="Copy the signing secret now"
        description="It is shown this once. With it your server sees that an event is from here."
        actions={
          <Button variant="primary" onClick={done}>
            I have stored it
          </Button>
        }
      >
        <div className="flex gap-2">
          <Input
            readOnly
            value={data.secret}
            aria-label="The signing secret"
            spellCheck={false}
            className="font-mono"
            onFocus={({ target }) => target.select()}
          />
          <CopyButton text={data.secret} label="Copy the secret" />
        </div>
        <CodeBlock code={SIGNATURE_SAMPLE} label="code that verifies a signature" />
      </Dialog>
    );
  }
  return (
    <WebhookDialog
      title={mode === 'live' ? 'Create a live webhook' : 'Create a sandbox webhook'}
      description={`It receives events of ${mode === 'live' ? 'live calls' : 'the sandbox'} alone.`}
      submit="Create webhook"
      values={formOf()}
      failure={create.isError && <ErrorState title="The webhook could not be created" error={create.error} />}
      busy={create.isPending}
      onSubmit={(values) => create.mutate(values)}
      onClose={onClose}
    />
  );
}

/** Changes address, events and description of a subscription; its secret stays. */
export function EditWebhook({
  webhook,
  onClose,
}: {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}): ReactNode {
  const { mode, api } = useApi();
  const client = useQueryClient();
  const update = useMutation({
    mutationFn: (values: WebhookForm) =>
      dataOf(
        api.PATCH('/api/v1/webhooks/{webhook_id}', {
          params: { path: { webhook_id: webhook.id } },
          body: bodyOf(values),
        }),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [mode, 'webhooks'] });
      onClose();
    },
  });
  return (
    <WebhookDialog
      title="Edit this webhook"
      description="The signing secret stays the same."
      submit="Save"
      values={formOf(webhook)}
      failure={update.isError && <ErrorState title="The webhook could not be saved" error={update.error} />}
      busy={update.isPending}
      onSubmit={(values) => update.mutate(values)}
      onClose={onClose}
    />
  );
}

interface WebhookDialogProps {
  readonly title: string;
  readonly description: string;
  readonly submit: string;
  readonly values: WebhookForm;
  readonly failure: ReactNode;
  readonly busy: boolean;
  readonly onSubmit: (values: WebhookForm) => void;
  readonly onClose: () => void;
}

function WebhookDialog(props: WebhookDialogProps): ReactNode {
  const { register, handleSubmit, watch, formState } = useForm<WebhookForm>({
    resolver: zodResolver(webhookForm),
    defaultValues: props.values,
  });
  const { errors } = formState;
  return (
    <Dialog open onOpenChange={props.onClose} title={props.title} description={props.description}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => void handleSubmit(props.onSubmit)(event)}
      >
        <Field
          label="Address"
          hint="Your server, where the internet reaches it. Events come as POST with JSON."
          error={errors.url?.message}
        >
          {(ids) => (
            <Input
              {...ids}
              {...register('url')}
              type="url"
              autoComplete="off"
              placeholder="https://example.com/voice-events"
            />
          )}
        </Field>
        <Field label="Description" hint="For yourself." error={errors.description?.message}>
          {(ids) => <Input {...ids} {...register('description')} autoComplete="off" />}
        </Field>
        <EventChoice register={register} errors={errors} all={watch('all')} />
        {props.failure}
        <div className="flex justify-end gap-2">
          <Button onClick={props.onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={props.busy}>
            {props.submit}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
