import { useQuery } from '@tanstack/react-query';
import { Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useFormContext } from 'react-hook-form';
import { useApi } from '../../../../api/mode.js';
import { Button } from '../../../../ui/button.js';
import { ErrorState } from '../../../../ui/error-state.js';
import { Field, Input, Select } from '../../../../ui/field.js';
import { Skeleton } from '../../../../ui/skeleton.js';
import { agentsQuery } from '../../query.js';
import type { AgentForm } from '../form.js';
import { problemOf } from './problem.js';

/** As the API takes them. */
const MOST_AGENTS = 10;
const NEW_TARGET = { agent_id: '', name: '', description: '' };

interface HandoffToolProps {
  readonly at: number;
  readonly agentId: string;
}

interface Target {
  readonly agent_id: string;
  readonly name: string;
  readonly description: string;
}

/** The agents that a live call may be handed to, and when. */
export function HandoffTool({ at, agentId }: HandoffToolProps): ReactNode {
  const { register, formState, watch, setValue, getValues } = useFormContext<AgentForm>();
  const agents = useQuery(agentsQuery(useApi()));
  if (agents.isLoadingError) {
    return (
      <ErrorState
        title="The agents could not be loaded"
        error={agents.error}
        onRetry={() => void agents.refetch()}
      />
    );
  }
  if (agents.data === undefined) return <Skeleton className="h-9" />;
  const others = agents.data.filter(({ id }) => id !== agentId);
  if (others.length === 0) {
    return <p className="text-muted">There is no other agent yet. Create one, then hand over to it.</p>;
  }
  const targets = (watch(`tools.${at}.agents`) ?? []) as Target[];
  const path = (index: number, field: string) => `tools.${at}.agents.${index}.${field}` as const;
  const replace = (next: readonly Target[]) =>
    setValue(`tools.${at}.agents`, next as never, { shouldDirty: true });
  const problem = problemOf(formState.errors, `tools.${at}.agents`);
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 font-medium">Agents that may take over</legend>
      {targets.map((_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the fields are registered by their place
        <div key={index} className="grid items-end gap-3 sm:grid-cols-[1fr_1fr_2fr_auto]">
          <Field label="Agent" error={problemOf(formState.errors, path(index, 'agent_id'))}>
            {(ids) => (
              <Select
                {...ids}
                {...register(path(index, 'agent_id'), {
                  onChange: ({ target }) => {
                    const picked = others.find(({ id }) => id === target.value);
                    if (picked && getValues(path(index, 'name')) === '') {
                      setValue(path(index, 'name'), picked.name as never, { shouldDirty: true });
                    }
                  },
                })}
              >
                <option value="">Choose …</option>
                {others.map(({ id, name, is_active }) => (
                  <option key={id} value={id}>
                    {is_active ? name : `${name} (off)`}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          <Field label="Chosen as" error={problemOf(formState.errors, path(index, 'name'))}>
            {(ids) => <Input {...ids} {...register(path(index, 'name'))} />}
          </Field>
          <Field label="When">
            {(ids) => (
              <Input
                {...ids}
                {...register(path(index, 'description'))}
                placeholder="The caller asks about an invoice."
              />
            )}
          </Field>
          <Button
            size="icon"
            aria-label="Remove the agent"
            onClick={() => replace(targets.filter((__, other) => other !== index))}
          >
            <Trash2 aria-hidden className="size-4" />
          </Button>
        </div>
      ))}
      {problem !== undefined && (
        <p role="alert" className="text-xs font-medium text-bad">
          {problem}
        </p>
      )}
      {targets.length < MOST_AGENTS && (
        <Button className="self-start" onClick={() => replace([...targets, NEW_TARGET])}>
          <Plus aria-hidden className="size-4" /> Another agent
        </Button>
      )}
    </fieldset>
  );
}
