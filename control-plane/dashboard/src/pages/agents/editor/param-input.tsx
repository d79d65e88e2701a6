import type { ReactNode } from 'react';
import { Field, Input, Select } from '../../../ui/field.js';
import type { ParamField } from './params.js';

/** One parameter of a provider: says what it does, and what holds when nothing is entered. */
export function ParamInput({
  param: { label, hint, type, options, fallback, isSecret },
  value,
  onEnter,
}: {
  readonly param: ParamField;
  readonly value: unknown;
  /** With the text as it stands; empty for the default. */
  readonly onEnter: (text: string) => void;
}): ReactNode {
  return (
    <Field label={label} hint={hint || undefined} className="justify-end">
      {(ids) =>
        options === null ? (
          <Input
            {...ids}
            value={value === undefined ? '' : String(value)}
            placeholder={fallback}
            type={isSecret ? 'password' : undefined}
            autoComplete={isSecret ? 'off' : undefined}
            inputMode={type === 'number' ? 'decimal' : undefined}
            onChange={({ target }) => onEnter(target.value)}
          />
        ) : (
          <Select {...ids} value={String(value ?? '')} onChange={({ target }) => onEnter(target.value)}>
            <option value="">Default{fallback && ` (${fallback})`}</option>
            {options.map((option) => (
              <option key={option}>{option}</option>
            ))}
          </Select>
        )
      }
    </Field>
  );
}
