import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { PhoneOutgoing } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useForm } from 'react-hook-form';
import { dataOf } from '../../api/client.js';
import { useApi } from '../../api/mode.js';
import type { Agent } from '../../api/types.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { ErrorState } from '../../ui/error-state.js';
import { Field, Select } from '../../ui/field.js';

/** Who answers in the sandbox (docs/sandbox-and-production.md). */
const PEOPLE = [
  ['+15005550006', 'Talks, and says goodbye'],
  ['+15005550014', 'Interrupts the agent'],
  ['+15005550015', 'Never says a word'],
  ['+15005550013', 'Hangs up in mid-call'],
  ['+15005550012', 'Voicemail with a beep'],
  ['+15005550010', 'Is busy'],
  ['+15005550011', 'Does not answer'],
] as const;

/** Calls a simulated person, which costs nothing, and goes to the call. */
export function SandboxCall({ agents }: { readonly agents: readonly Agent[] }): ReactNode {
  const [open, setOpen] = useState(false);
  const active = agents.filter(({ is_active }) => is_active);
  if (active.length === 0) return null;
  return (
    <>
      <Button needs="createTestCall" onClick={() => setOpen(true)}>
        <PhoneOutgoing aria-hidden className="size-4" /> Call a simulated person
      </Button>
      {open && <CallDialog agents={active} onClose={() => setOpen(false)} />}
    </>
  );
}

function CallDialog({
  agents,
  onClose,
}: {
  readonly agents: readonly Agent[];
  readonly onClose: () => void;
}): ReactNode {
  const { mode, api } = useApi();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { register, handleSubmit } = useForm({
    defaultValues: { agent_id: agents[0]?.id ?? '', to_number: PEOPLE[0][0] as string },
  });
  const call = useMutation({
    mutationFn: (body: { readonly agent_id: string; readonly to_number: string }) =>
      dataOf(api.POST('/api/v1/calls/test', { body: { ...body, variables: {} } })),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: [mode, 'calls'] });
      onClose();
      await navigate({ to: '/live', search: { call: id } });
    },
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Call a simulated person"
      description="In the sandbox: it costs nothing."
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => void handleSubmit((body) => call.mutate(body))(event)}
      >
        <Field label="Agent">
          {(ids) => (
            <Select {...ids} {...register('agent_id')}>
              {agents.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Who answers">
          {(ids) => (
            <Select {...ids} {...register('to_number')}>
              {PEOPLE.map(([number, what]) => (
                <option key={number} value={number}>
                  {what}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {call.isError && <ErrorState title="The call could not be placed" error={call.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary" busy={call.isPending}>
            Call
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
