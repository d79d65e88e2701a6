import { zodResolver } from '@hookform/resolvers/zod';
import { useEffect, useState } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import { toast } from 'sonner';
import type { Agent } from '../../../api/types.js';
import { type AgentForm, agentForm, changesOf, formOf } from './form.js';
import { unsavedEdits } from './unsaved-edits.js';

/** The form of an agent: as it is stored, or with what the end of the session before kept from being saved. */
export function useAgentForm(agent: Agent): UseFormReturn<AgentForm> {
  const [kept] = useState(() => unsavedEdits.of(agent.id));
  const form = useForm<AgentForm>({
    resolver: zodResolver(agentForm),
    defaultValues: kept?.begun ?? formOf(agent),
  });
  const { setValue, getValues, formState } = form;
  const { isDirty, defaultValues } = formState;
  useEffect(() => {
    if (kept === undefined) return;
    for (const [key, value] of Object.entries(changesOf(kept.begun, kept.edited))) {
      setValue(key as keyof AgentForm, value, { shouldDirty: true });
    }
    unsavedEdits.drop(agent.id);
    toast.info('What you had not saved is here again.');
  }, [kept, agent.id, setValue]);
  useEffect(() => {
    if (!isDirty) return;
    return unsavedEdits.watch(agent.id, () => ({
      begun: defaultValues as AgentForm,
      edited: structuredClone(getValues()),
    }));
  }, [agent.id, isDirty, defaultValues, getValues]);
  return form;
}
