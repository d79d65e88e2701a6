import { zodResolver } from '@hookform/resolvers/zod';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { dataOf } from '../../../api/client.js';
import type { RetentionSettings } from '../../../api/types.js';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { ErrorState } from '../../../ui/error-state.js';
import { Field, Input } from '../../../ui/field.js';
import { usePermission } from '../../../ui/permission.js';
import { SkeletonRows } from '../../../ui/skeleton.js';
import { accountApi } from '../account-api.js';
import { erasesMore, formOf, PARTS, retentionForm, settingsOf } from './form.js';

export const route = createLazyRoute('/settings/retention')({ component: RetentionSection });

const settingsQuery = queryOptions({
  queryKey: ['account', 'settings'],
  queryFn: ({ signal }) => dataOf(accountApi.GET('/api/v1/settings', { signal })),
});

/** After how many days what is erased. */
function RetentionSection(): ReactNode {
  const settings = useQuery(settingsQuery);
  return (
    <>
      <h2 className="text-base font-semibold">Data retention</h2>
      {settings.isPending ? (
        <SkeletonRows />
      ) : settings.isLoadingError ? (
        <ErrorState
          title="The settings could not be loaded"
          error={settings.error}
          onRetry={() => void settings.refetch()}
        />
      ) : (
        <RetentionForm settings={settings.data.retention} />
      )}
    </>
  );
}

function RetentionForm({ settings }: { readonly settings: RetentionSettings }): ReactNode {
  const client = useQueryClient();
  const refusal = usePermission()('updateSettings');
  const [asked, setAsked] = useState<RetentionSettings | null>(null);
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(retentionForm),
    values: formOf(settings),
  });
  const save = useMutation({
    mutationFn: (retention: RetentionSettings) =>
      dataOf(accountApi.PATCH('/api/v1/settings', { body: { retention } })),
    onSuccess: (saved) => {
      client.setQueryData(settingsQuery.queryKey, saved);
      toast.success('Saved');
    },
    onSettled: () => setAsked(null),
  });
  const submit = handleSubmit((values) => {
    const wanted = settingsOf(values);
    if (erasesMore(settings, wanted)) setAsked(wanted);
    else save.mutate(wanted);
  });
  return (
    <form className="flex max-w-xl flex-col gap-4" onSubmit={(event) => void submit(event)}>
      <p className="text-muted">
        What is older is erased for good, of every call in both modes. Leave a field empty to keep it for
        ever.{' '}
        <a href="/docs/guides/data-retention" className="text-accent underline">
          What each contains
        </a>
      </p>
      {PARTS.map(({ name, label, hint }) => (
        <Field key={name} label={`${label}, in days`} hint={hint} error={formState.errors[name]?.message}>
          {(ids) => (
            <Input
              {...ids}
              {...register(name)}
              inputMode="numeric"
              autoComplete="off"
              placeholder="For ever"
              readOnly={refusal !== null}
              className="max-w-40"
            />
          )}
        </Field>
      ))}
      {save.isError && <ErrorState title="The settings could not be saved" error={save.error} />}
      {refusal !== null && <p className="text-xs text-muted">{refusal}</p>}
      <Button
        needs="updateSettings"
        type="submit"
        variant="primary"
        className="self-start"
        disabled={!formState.isDirty}
        busy={save.isPending}
      >
        Save
      </Button>
      {asked !== null && (
        <Dialog
          open
          onOpenChange={() => setAsked(null)}
          title="Erase what is older?"
          description="Within the next hours everything is erased that is older than these days. It cannot be brought back."
          actions={
            <>
              <Button onClick={() => setAsked(null)}>Keep it</Button>
              <Button variant="danger" busy={save.isPending} onClick={() => save.mutate(asked)}>
                Save and erase
              </Button>
            </>
          }
        />
      )}
    </form>
  );
}
