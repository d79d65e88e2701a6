import { Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useFieldArray, useFormContext } from 'react-hook-form';
import { Button } from '../../../ui/button.js';
import { Field, Input } from '../../../ui/field.js';
import type { AgentForm } from './form.js';

/** What is judged of each call after its end. */
export function AnalysisSection(): ReactNode {
  const { register, control, watch, formState } = useFormContext<AgentForm>();
  const criteria = useFieldArray({ control, name: 'analysis.scorecard' });
  const errors = formState.errors.analysis?.scorecard;
  const enabled = watch('analysis.enabled');
  return (
    <div className="flex flex-col gap-4">
      <label className="flex items-center gap-2">
        <input type="checkbox" className="size-4 accent-accent" {...register('analysis.enabled')} />
        Analyse each call after its end: outcome, summary, sentiment, and the criteria below
      </label>
      {enabled && (
        <>
          <ul className="flex flex-col gap-3">
            {criteria.fields.map((field, at) => (
              <li
                key={field.id}
                className="grid items-end gap-3 rounded-md border border-line p-3 sm:grid-cols-[minmax(0,1fr)_minmax(0,2fr)_5rem_auto]"
              >
                <Field label="Criterion" error={errors?.[at]?.name?.message}>
                  {(ids) => <Input {...ids} {...register(`analysis.scorecard.${at}.name`)} />}
                </Field>
                <Field label="What is judged" error={errors?.[at]?.description?.message}>
                  {(ids) => <Input {...ids} {...register(`analysis.scorecard.${at}.description`)} />}
                </Field>
                <Field label="Weight" error={errors?.[at]?.weight?.message}>
                  {(ids) => (
                    <Input
                      {...ids}
                      type="number"
                      step="any"
                      {...register(`analysis.scorecard.${at}.weight`, { valueAsNumber: true })}
                    />
                  )}
                </Field>
                <Button size="icon" aria-label="Remove the criterion" onClick={() => criteria.remove(at)}>
                  <Trash2 aria-hidden className="size-4" />
                </Button>
              </li>
            ))}
          </ul>
          <Button
            className="self-start"
            onClick={() => criteria.append({ name: '', description: '', weight: 1 })}
          >
            <Plus aria-hidden className="size-4" /> Add a criterion
          </Button>
        </>
      )}
    </div>
  );
}
