import type { ReactNode } from 'react';
import { Controller, useFormContext } from 'react-hook-form';
import { label } from '../../../format/words.js';
import { Field, Input } from '../../../ui/field.js';
import { type AgentForm, DAYS } from './form.js';

/** When the agent may call, by the day of the week. */
export function CallingHours(): ReactNode {
  const { control, register, formState } = useFormContext<AgentForm>();
  const errors = formState.errors.calling_hours;
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-semibold">Calling hours</legend>
      <ul className="flex flex-col gap-1.5">
        {DAYS.map((day) => (
          <li key={day}>
            <Controller
              control={control}
              name={`calling_hours.${day}`}
              render={({ field }) => (
                <div className="flex flex-wrap items-center gap-2">
                  <label className="flex w-28 items-center gap-2 sm:w-32">
                    <input
                      type="checkbox"
                      className="size-4 accent-accent"
                      checked={field.value !== null}
                      onChange={({ target }) =>
                        field.onChange(target.checked ? { start: '08:00', end: '21:00' } : null)
                      }
                    />
                    {label(day)}
                  </label>
                  {field.value !== null ? (
                    <span className="flex items-center gap-1.5">
                      <Input
                        aria-label={`${label(day)}, from`}
                        className="w-18! sm:w-24!"
                        value={field.value.start}
                        onChange={({ target }) => field.onChange({ ...field.value, start: target.value })}
                      />
                      –
                      <Input
                        aria-label={`${label(day)}, until`}
                        className="w-18! sm:w-24!"
                        value={field.value.end}
                        onChange={({ target }) => field.onChange({ ...field.value, end: target.value })}
                      />
                    </span>
                  ) : (
                    <span className="text-muted">no calls</span>
                  )}
                </div>
              )}
            />
            {errors?.[day] !== undefined && (
              <p role="alert" className="text-xs font-medium text-bad">
                Enter times as 08:00, the first before the second.
              </p>
            )}
          </li>
        ))}
      </ul>
      <Field
        label="Time zone"
        hint="As America/New_York. Empty: the clock of the person who is called."
        error={errors?.timezone?.message}
      >
        {(ids) => (
          <Input
            {...ids}
            {...register('calling_hours.timezone', { setValueAs: (text: string | null) => text || null })}
            className="max-w-sm"
          />
        )}
      </Field>
    </fieldset>
  );
}
