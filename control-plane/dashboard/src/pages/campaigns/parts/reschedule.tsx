import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { toast } from 'sonner';
import { dataOf } from '../../../api/client.js';
import { useApi } from '../../../api/mode.js';
import type { CampaignContact } from '../../../api/types.js';
import { localInput } from '../../../format/time.js';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { ErrorState } from '../../../ui/error-state.js';
import { Field, Input } from '../../../ui/field.js';

const HOUR_MS = 3_600_000;

/** Calls a contact (again) at a chosen time. */
export function Reschedule({
  contact,
  onClose,
}: {
  readonly contact: CampaignContact;
  readonly onClose: () => void;
}): ReactNode {
  const { mode, api } = useApi();
  const client = useQueryClient();
  const [at, setAt] = useState(() => localInput(Date.now() + HOUR_MS));
  const [problem, setProblem] = useState<string>();
  const reschedule = useMutation({
    mutationFn: (next_retry_at: string) =>
      dataOf(
        api.POST('/api/v1/campaigns/{campaign_id}/contacts/{contact_id}/reschedule', {
          params: { path: { campaign_id: contact.campaign_id, contact_id: contact.id } },
          body: { next_retry_at },
        }),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [mode, 'campaigns'] });
      toast.success(`${contact.phone} is rescheduled`);
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const chosen = Date.parse(at);
    if (!(chosen > Date.now())) return setProblem('Choose a time in the future.');
    setProblem(undefined);
    reschedule.mutate(new Date(chosen).toISOString());
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Call ${contact.phone} at another time`}
      description="Whatever became of it before, the contact is called then, within the calling hours. A completed campaign runs again for it."
    >
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <Field label="Time" hint="By your clock." error={problem}>
          {(ids) => (
            <Input {...ids} type="datetime-local" value={at} onChange={({ target }) => setAt(target.value)} />
          )}
        </Field>
        {reschedule.isError && <ErrorState title="It could not be rescheduled" error={reschedule.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Leave it</Button>
          <Button type="submit" variant="primary" busy={reschedule.isPending}>
            Reschedule
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
