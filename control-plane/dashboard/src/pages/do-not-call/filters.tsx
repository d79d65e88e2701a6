import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Select } from '../../ui/field.js';
import { NumberSearch } from '../../ui/number-search.js';
import type { DncSearch } from './search.js';

export const SOURCES: readonly (readonly [NonNullable<DncSearch['source']>, string])[] = [
  ['api', 'Added'],
  ['import', 'Imported'],
  ['opt_out', 'Asked in a call'],
];

/** Is this number on the list? And: which came in this way? */
export function Filters({ search }: { readonly search: DncSearch }): ReactNode {
  const navigate = useNavigate({ from: '/do-not-call' });
  const choose = (changes: DncSearch) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true });
  return (
    <search className="flex flex-wrap items-start gap-2">
      <NumberSearch value={search.number} onChange={(number) => choose({ number })} />
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
