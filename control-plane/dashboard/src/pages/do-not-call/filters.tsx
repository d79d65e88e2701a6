import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { PHONE_HINT, phoneOf } from '../../format/phone.js';
import { Button } from '../../ui/button.js';
import { Input, Select } from '../../ui/field.js';
import type { DncSearch } from './search.js';

export const SOURCES: readonly (readonly [NonNullable<DncSearch['source']>, string])[] = [
  ['api', 'Added'],
  ['import', 'Imported'],
  ['opt_out', 'Asked in a call'],
];

/** Is this number on the list? And: which came in this way? */
export function Filters({ search }: { readonly search: DncSearch }): ReactNode {
  const navigate = useNavigate({ from: '/do-not-call' });
  const [refused, setRefused] = useState(false);
  const choose = (changes: DncSearch) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true });
  return (
    <search className="flex flex-wrap items-start gap-2">
      <form
        className="flex flex-col gap-1"
        onSubmit={(event) => {
          event.preventDefault();
          const written = String(new FormData(event.currentTarget).get('number') ?? '');
          const number = phoneOf(written);
          setRefused(written.trim() !== '' && number === null);
          if (number !== null || written.trim() === '') choose({ number: number ?? undefined });
        }}
      >
        <div className="flex gap-2">
          <Input
            key={search.number}
            name="number"
            type="search"
            defaultValue={search.number}
            aria-label="Find a number"
            aria-invalid={refused || undefined}
            aria-describedby={refused ? 'dnc-number-error' : undefined}
            placeholder="+1 500 555 0006"
            className="w-48!"
          />
          <Button type="submit">Find</Button>
        </div>
        {refused && (
          <p id="dnc-number-error" role="alert" className="text-xs font-medium text-bad">
            {PHONE_HINT}
          </p>
        )}
      </form>
      <Select
        aria-label="Source"
        className="w-auto!"
        value={search.source ?? ''}
        onChange={({ target }) =>
          choose({ source: SOURCES.find(([source]) => source === target.value)?.[0] })
        }
      >
        <option value="">Any source</option>
        {SOURCES.map(([source, text]) => (
          <option key={source} value={source}>
            {text}
          </option>
        ))}
      </Select>
    </search>
  );
}
