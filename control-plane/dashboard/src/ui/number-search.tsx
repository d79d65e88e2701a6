import { type ReactNode, useId, useState } from 'react';
import { PHONE_HINT, phoneOf } from '../format/phone.js';
import { Button } from './button.js';
import { Input } from './field.js';

interface NumberSearchProps {
  /** In E.164. */
  readonly value: string | undefined;
  /** `undefined`: any number. */
  readonly onChange: (number: string | undefined) => void;
}

/** Finds a phone number, as people write them. */
export function NumberSearch({ value, onChange }: NumberSearchProps): ReactNode {
  const [refused, setRefused] = useState(false);
  const error = useId();
  return (
    <form
      className="flex flex-col gap-1"
      onSubmit={(event) => {
        event.preventDefault();
        const written = String(new FormData(event.currentTarget).get('number') ?? '').trim();
        const number = phoneOf(written);
        setRefused(written !== '' && number === null);
        if (number !== null || written === '') onChange(number ?? undefined);
      }}
    >
      <div className="flex gap-2">
        <Input
          key={value}
          name="number"
          type="search"
          defaultValue={value}
          aria-label="Find a number"
          aria-invalid={refused || undefined}
          aria-describedby={refused ? error : undefined}
          placeholder="+1 500 555 0006"
          className="w-48!"
        />
        <Button type="submit">Find</Button>
      </div>
      {refused && (
        <p id={error} role="alert" className="text-xs font-medium text-bad">
          {PHONE_HINT}
        </p>
      )}
    </form>
  );
}
