import { createFormControl } from 'react-hook-form';
import { expect, it } from 'vitest';
import type { AgentForm } from './form.js';
import { storedForm } from './form-fixture.js';
import { showStored } from './show-stored.js';

function formThatIsSent() {
  let isDirty = false;
  const form = createFormControl<AgentForm>({ defaultValues: structuredClone(storedForm) });
  form.subscribe({
    formState: { isDirty: true },
    callback: (state) => {
      isDirty = state.isDirty ?? isDirty;
    },
  });
  form.setValue('name', 'Bea ', { shouldDirty: true });
  return { form, sent: structuredClone(form.getValues()), isDirty: () => isDirty };
}
const stored: AgentForm = { ...storedForm, name: 'Bea' };

it('shows what is stored once it is saved', () => {
  const { form, sent, isDirty } = formThatIsSent();
  expect(isDirty()).toBe(true);
  showStored(form, stored, sent);
  expect(form.getValues()).toEqual(stored);
  expect(isDirty()).toBe(false);
});

it('keeps what was edited while it was saved, and has it to be saved', () => {
  const { form, sent, isDirty } = formThatIsSent();
  form.setValue('system_prompt', 'Be brief.', { shouldDirty: true });
  showStored(form, stored, sent);
  expect(form.getValues()).toEqual({ ...stored, system_prompt: 'Be brief.' });
  expect(isDirty()).toBe(true);
  form.reset();
  expect(form.getValues()).toEqual(stored);
});
