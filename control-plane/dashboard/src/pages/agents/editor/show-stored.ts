import type { UseFormReturn } from 'react-hook-form';
import { type AgentForm, changesOf } from './form.js';

type Form = Pick<UseFormReturn<AgentForm>, 'getValues' | 'reset' | 'setValue'>;

/**
 * Shows in the form what a save has stored. What was edited since `sent`, while the answer was under way, stays as it
 * is and is not saved yet.
 */
export function showStored(form: Form, stored: AgentForm, sent: AgentForm): void {
  const shown = structuredClone(form.getValues());
  const meanwhile = changesOf(sent, shown);
  if (Object.keys(meanwhile).length === 0) {
    form.reset(stored);
    return;
  }
  // Nothing is written into the fields that are being edited: the cursor stays where it is.
  form.reset(stored, { keepValues: true });
  for (const key of Object.keys(changesOf(shown, stored)) as (keyof AgentForm)[]) {
    if (!(key in meanwhile)) form.setValue(key, stored[key]);
  }
  // No field shows it; any that is set has the form find out anew that it differs from what is stored.
  form.setValue('is_active', stored.is_active, { shouldDirty: true });
}
