import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { dataOf } from '../../api/client.js';
import { useApi } from '../../api/mode.js';
import { PHONE_HINT, phoneOf } from '../../format/phone.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { ErrorState } from '../../ui/error-state.js';
import { Field, Input, Select } from '../../ui/field.js';
import { agentsQuery } from '../agents/query.js';
import { checkQuery } from './query.js';

interface CheckNumberProps {
  readonly onClose: () => void;
  readonly onChecked: (checkId: string) => void;
}

/** Asks the gate about a number, and an agent that would call it; no call is placed. */
export function CheckNumber({ onClose, onChecked }: CheckNumberProps): ReactNode {
  const context = useApi();
  const { mode, api } = context;
  const client = useQueryClient();
  const agents = useQuery(agentsQuery(context));
  const [written, setWritten] = useState('');
  const [agentId, setAgentId] = useState('');
  const [refused, setRefused] = useState(false);
  const formId = useId();
  const check = useMutation({
    mutationFn: (number: string) =>
      dataOf(
        api.POST('/api/v1/compliance/check', {
          body: { to_number: number, ...(agentId !== '' && { agent_id: agentId }) },
        }),
      ),
    onSuccess: async (made) => {
      client.setQueryData(checkQuery(context, made.id).queryKey, made);
      onClose();
      onChecked(made.id);
      await client.invalidateQueries({ queryKey: [mode, 'compliance-checks', 'list'] });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const number = phoneOf(written);
    setRefused(number === null);
    if (number !== null) check.mutate(number);
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Check a number"
      description="Whether it may be called now. No call is placed."
      actions={
        <Button variant="primary" type="submit" form={formId} busy={check.isPending}>
          Check
        </Button>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-3">
        <Field label="Number" error={refused ? PHONE_HINT : undefined}>
          {(ids) => (
            <Input
              {...ids}
              type="tel"
              value={written}
              onChange={({ target }) => setWritten(target.value)}
              placeholder="+1 500 555 0006"
            />
          )}
        </Field>
        <Field
          label="Agent"
          hint="Its hours, disclosure and recording are judged too. Without one, the number alone by the usual hours."
        >
          {(ids) => (
            <Select {...ids} value={agentId} onChange={({ target }) => setAgentId(target.value)}>
              <option value="">No agent</option>
              {(agents.data ?? []).map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </form>
      {check.isError && <ErrorState title="The number was not checked" error={check.error} />}
    </Dialog>
  );
}
