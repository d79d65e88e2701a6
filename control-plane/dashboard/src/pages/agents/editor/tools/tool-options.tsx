import type { ReactNode } from 'react';
import { useFormContext } from 'react-hook-form';
import { Field, Input, Select } from '../../../../ui/field.js';
import type { AgentForm } from '../form.js';
import { useToolValue } from './use-tool-value.js';

/** How long a tool may take. */
export function TimeoutField({ at }: { readonly at: number }): ReactNode {
  const { register } = useFormContext<AgentForm>();
  return (
    <Field label="Time-out, ms">
      {(ids) => (
        <Input
          {...ids}
          {...register(`tools.${at}.timeout_ms`, { valueAsNumber: true })}
          type="number"
          min={100}
          max={60_000}
        />
      )}
    </Field>
  );
}

/** What happens around a tool that runs outside: when the caller speaks, and with the recording. */
export function OutsideOptions({ at }: { readonly at: number }): ReactNode {
  const [whenCallerSpeaks, setWhenCallerSpeaks] = useToolValue(at, 'when_caller_speaks');
  const [sensitive, setSensitive] = useToolValue(at, 'sensitive');
  return (
    <div className="grid items-end gap-3 sm:grid-cols-2">
      <Field label="When the caller speaks meanwhile">
        {(ids) => (
          <Select
            {...ids}
            value={whenCallerSpeaks === 'cancel' ? 'cancel' : 'continue'}
            onChange={({ target }) => setWhenCallerSpeaks(target.value)}
          >
            <option value="continue">It goes on, its result comes later</option>
            <option value="cancel">It is given up</option>
          </Select>
        )}
      </Field>
      <label className="flex min-h-9 items-center gap-2">
        <input
          type="checkbox"
          className="size-4 shrink-0 accent-accent"
          checked={sensitive === true}
          onChange={({ target }) => setSensitive(target.checked || undefined)}
        />
        Sensitive: pause the recording, keep arguments and result out of the record
      </label>
    </div>
  );
}

/** The key that signs a tool's requests; it goes in and is never shown. */
export function SigningKeyField({ at }: { readonly at: number }): ReactNode {
  const [secret, setSecret] = useToolValue(at, 'secret');
  return (
    <Field
      label="Signing key"
      hint="Signs each request as webhooks are signed. Never shown again; empty: a stored one stays."
    >
      {(ids) => (
        <Input
          {...ids}
          type="password"
          autoComplete="new-password"
          value={typeof secret === 'string' ? secret : ''}
          onChange={({ target }) => setSecret(target.value || undefined)}
        />
      )}
    </Field>
  );
}
