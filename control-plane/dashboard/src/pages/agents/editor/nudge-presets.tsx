import { Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useFieldArray, useFormContext } from 'react-hook-form';
import { Button } from '../../../ui/button.js';
import { Field, Input } from '../../../ui/field.js';
import type { AgentForm } from './form.js';

/** What operators whisper by one press of a button while a call goes on. */
export function NudgePresets(): ReactNode {
  const { control, register, formState } = useFormContext<AgentForm>();
  const presets = useFieldArray({ control, name: 'nudge_presets', keyName: 'key' });
  const errors = formState.errors.nudge_presets;
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 font-semibold">Nudges</legend>
      <p className="text-muted">
        Whispers that are ready for operators: one button each under Live. The caller does not hear them.
      </p>
      {presets.fields.map((preset, at) => (
        <div
          key={preset.key}
          className="grid items-end gap-3 sm:grid-cols-[minmax(0,1fr)_minmax(0,3fr)_auto]"
        >
          <Field label="Button" error={errors?.[at]?.label?.message}>
            {(ids) => <Input {...ids} {...register(`nudge_presets.${at}.label`)} placeholder="Slow down" />}
          </Field>
          <Field label="Whisper" error={errors?.[at]?.text?.message}>
            {(ids) => (
              <Input {...ids} {...register(`nudge_presets.${at}.text`)} placeholder="Speak more slowly." />
            )}
          </Field>
          <Button size="icon" aria-label="Remove the nudge" onClick={() => presets.remove(at)}>
            <Trash2 aria-hidden className="size-4" />
          </Button>
        </div>
      ))}
      <Button className="self-start" onClick={() => presets.append({ label: '', text: '' })}>
        <Plus aria-hidden className="size-4" /> Add a nudge
      </Button>
    </fieldset>
  );
}
