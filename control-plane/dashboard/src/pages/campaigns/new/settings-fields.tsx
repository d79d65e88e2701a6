import type { ReactNode } from 'react';
import { type Path, useFormContext } from 'react-hook-form';
import type { Agent } from '../../../api/types.js';
import { Field, Input, Select, TextArea } from '../../../ui/field.js';
import type { Settings, SettingsInput } from './form.js';

interface SettingsProps {
  readonly agents: readonly Agent[];
  readonly phones: readonly {
    readonly id: string;
    readonly phone_number: string;
    readonly verified: boolean;
  }[];
}

/** Who calls, how fast, and how often. */
export function SettingsFields({ agents, phones }: SettingsProps): ReactNode {
  const { register, formState } = useFormContext<SettingsInput, unknown, Settings>();
  const errors = formState.errors;
  const number = (name: Path<SettingsInput>, label: string, hint: string, max: number) => (
    <Field label={label} hint={hint} error={errors[name]?.message}>
      {(ids) => <Input {...ids} {...register(name)} type="number" inputMode="numeric" min={1} max={max} />}
    </Field>
  );
  return (
    <div className="flex flex-col gap-5">
      <div className="grid items-end gap-4 sm:grid-cols-2 xl:grid-cols-3">
        <Field label="Name" error={errors.name?.message}>
          {(ids) => (
            <Input {...ids} {...register('name')} autoComplete="off" placeholder="Spring reminders" />
          )}
        </Field>
        <Field label="Agent" error={errors.agent_id?.message}>
          {(ids) => (
            <Select {...ids} {...register('agent_id')}>
              <option value="">Choose an agent</option>
              {agents.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field label="Caller number" error={errors.caller_id?.message}>
          {(ids) => (
            <Select {...ids} {...register('caller_id')}>
              <option value="">The agent’s, else the first verified one</option>
              {phones.map(({ id, phone_number, verified }) => (
                <option key={id} value={id} disabled={!verified}>
                  {phone_number}
                  {verified ? '' : ' (not verified)'}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <div className="grid items-end gap-4 sm:grid-cols-2 xl:grid-cols-3">
        {number('calls_per_minute', 'Calls a minute', 'Begun, on average.', 6000)}
        {number('max_concurrent', 'At the same time', 'Calls that go on at once, at most.', 1000)}
        <Field
          label="Start"
          hint="By your clock. Empty: as soon as you launch it."
          error={errors.starts?.message}
        >
          {(ids) => <Input {...ids} {...register('starts')} type="datetime-local" />}
        </Field>
      </div>
      <fieldset className="grid items-end gap-4 sm:grid-cols-2 xl:grid-cols-4">
        <legend className="mb-2 font-semibold">Retries</legend>
        {number('max_attempts', 'Attempts', 'Calls to a contact, the first included.', 10)}
        {number('busy_delay', 'Wait if busy', 'Minutes until the next attempt.', 10_080)}
        {number('no_answer_delay', 'Wait without answer', 'Minutes until the next attempt.', 10_080)}
        {number('failed_delay', 'Wait after a failure', 'Minutes until the next attempt.', 10_080)}
      </fieldset>
      <Field
        label="Outcomes"
        hint="One a line, the best first, as “booked”. Each completed call is given one of them. Empty: completed counts."
        error={errors.outcomes?.message}
      >
        {(ids) => <TextArea {...ids} {...register('outcomes')} rows={3} className="max-w-xl" />}
      </Field>
    </div>
  );
}
