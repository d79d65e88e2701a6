import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { toast } from 'sonner';
import { dataOf } from '../../api/client.js';
import { useApi } from '../../api/mode.js';
import { shownIn, useOptimistic } from '../../api/optimistic.js';
import type { Agent, PhoneNumber } from '../../api/types.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { ErrorState } from '../../ui/error-state.js';
import { Field, Select } from '../../ui/field.js';
import { numbersQuery } from './query.js';
import { standingOf } from './standing.js';
import { Verify } from './verify.js';

interface NumberDialogProps {
  readonly phone: PhoneNumber;
  readonly agents: readonly Agent[];
  readonly onClose: () => void;
}

/** One number: who answers it, whether agents can call from it, and the way to give it up. */
export function NumberDialog({ phone, agents, onClose }: NumberDialogProps): ReactNode {
  const context = useApi();
  const [releasing, setReleasing] = useState(false);
  const { word, tone, meaning } = standingOf(phone);
  const nameOf = (agentId: string) => agents.find(({ id }) => id === agentId)?.name ?? 'The agent';
  const answering = (agentId: string | null) =>
    agentId === null
      ? `Nobody answers ${phone.phone_number}`
      : `${nameOf(agentId)} answers ${phone.phone_number}`;
  const assign = useOptimistic({
    change: (agentId: string | null) =>
      dataOf(
        context.api.PATCH('/api/v1/phones/{phone_id}', {
          params: { path: { phone_id: phone.id } },
          body: { agent_id: agentId },
        }),
      ),
    shows: (agentId) => [
      shownIn(numbersQuery(context), (phones) =>
        phones.map((each) => (each.id === phone.id ? { ...each, agent_id: agentId } : each)),
      ),
    ],
    queryKey: [context.mode, 'phones'],
    done: ({ agent_id }) => answering(agent_id),
    failure: () => 'The agent could not be assigned',
  });
  if (releasing) return <Release phone={phone} onKeep={() => setReleasing(false)} onClose={onClose} />;
  const chosen = phone.agent_id;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={phone.phone_number}
      description={meaning}
      actions={
        phone.source === 'sandbox' ? undefined : (
          <Button needs="releasePhoneNumber" onClick={() => setReleasing(true)}>
            {phone.source === 'purchased' ? 'Release the number' : 'Remove the number'}
          </Button>
        )
      }
    >
      <div>
        <Badge tone={tone}>{word}</Badge>
      </div>
      <Field label="Answered by" hint="Calls to the number go to this agent.">
        {(ids) => (
          <Select
            {...ids}
            value={chosen ?? ''}
            disabled={assign.isPending}
            onChange={({ target }) => assign.mutate(target.value || null)}
          >
            <option value="">Nobody</option>
            {chosen !== null && !agents.some(({ id }) => id === chosen) && <option value={chosen}>…</option>}
            {agents.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {phone.caller_id_verified_at === null && <Verify number={phone.phone_number} />}
    </Dialog>
  );
}

function Release({
  phone,
  onKeep,
  onClose,
}: {
  readonly phone: PhoneNumber;
  readonly onKeep: () => void;
  readonly onClose: () => void;
}): ReactNode {
  const { mode, api } = useApi();
  const client = useQueryClient();
  const bought = phone.source === 'purchased';
  const release = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/api/v1/phones/{phone_id}', { params: { path: { phone_id: phone.id } } })),
    onSuccess: async () => {
      onClose();
      toast.success(`${phone.phone_number} is ${bought ? 'released' : 'removed'}`);
      await client.invalidateQueries({ queryKey: [mode, 'phones'] });
    },
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`${bought ? 'Release' : 'Remove'} ${phone.phone_number}?`}
      description={
        bought
          ? 'It goes back to the carrier, who may sell it to somebody else. This cannot be undone.'
          : 'Agents neither answer it nor call from it any more. It stays yours at your carrier.'
      }
      actions={
        <>
          <Button onClick={onKeep}>Keep it</Button>
          <Button variant="danger" busy={release.isPending} onClick={() => release.mutate()}>
            {bought ? 'Release' : 'Remove'}
          </Button>
        </>
      }
    >
      {release.isError && <ErrorState title="The number could not be given up" error={release.error} />}
    </Dialog>
  );
}
