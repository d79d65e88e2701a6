import { Plus, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useFieldArray, useFormContext } from 'react-hook-form';
import { Button } from '../../../../ui/button.js';
import { Field, Input, Select } from '../../../../ui/field.js';
import type { AgentForm } from '../form.js';

/** As the API takes them. */
const MOST_DESTINATIONS = 50;

/** How a caller is transferred. */
export function TransferTool({ at }: { readonly at: number }): ReactNode {
  const { register } = useFormContext<AgentForm>();
  return (
    <Field label="How">
      {(ids) => (
        <Select {...ids} {...register(`tools.${at}.transfer_type`)} className="max-w-md">
          <option value="cold">Cold: connected at once, the agent leaves</option>
          <option value="warm">Warm: the person is rung and briefed first</option>
        </Select>
      )}
    </Field>
  );
}

/** Whom the agent may transfer a call to, with each of its tools that transfer. */
export function TransferDestinations(): ReactNode {
  const { control, register, formState } = useFormContext<AgentForm>();
  const destinations = useFieldArray({ control, name: 'transfer_destinations', keyName: 'key' });
  const errors = formState.errors.transfer_destinations;
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 font-semibold">People to transfer to</legend>
      <p className="text-muted">
        {destinations.fields.length === 0
          ? 'Nobody yet: the agent cannot transfer a call.'
          : 'The model chooses one by name. No other number is called.'}
      </p>
      {destinations.fields.map((destination, at) => (
        <div
          key={destination.key}
          className="grid items-end gap-3 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto]"
        >
          <Field label="Name of the person" error={errors?.[at]?.name?.message}>
            {(ids) => (
              <Input {...ids} {...register(`transfer_destinations.${at}.name`)} placeholder="Reception" />
            )}
          </Field>
          <Field label="Phone number" error={errors?.[at]?.phone_number?.message}>
            {(ids) => (
              <Input
                {...ids}
                {...register(`transfer_destinations.${at}.phone_number`)}
                type="tel"
                autoComplete="off"
                placeholder="+1 415 555 0123"
              />
            )}
          </Field>
          <Button size="icon" aria-label="Remove the person" onClick={() => destinations.remove(at)}>
            <Trash2 aria-hidden className="size-4" />
          </Button>
        </div>
      ))}
      {destinations.fields.length < MOST_DESTINATIONS && (
        <Button className="self-start" onClick={() => destinations.append({ name: '', phone_number: '' })}>
          <Plus aria-hidden className="size-4" /> Add a person
        </Button>
      )}
    </fieldset>
  );
}
