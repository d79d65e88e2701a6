import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Select } from '../../ui/field.js';
import { NumberSearch } from '../../ui/number-search.js';
import type { ComplianceSearch } from './search.js';
import { DECISIONS, REASONS } from './words.js';

const REASON_PREFIX = 'reason ';

/** What was decided about a number, and why calls were denied. */
export function Filters({ search }: { readonly search: Omit<ComplianceSearch, 'check'> }): ReactNode {
  const navigate = useNavigate({ from: '/compliance' });
  const choose = (changes: ComplianceSearch) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true });
  const { number, decision, reason } = search;
  return (
    <search className="flex flex-wrap items-start gap-2">
      <NumberSearch value={number} onChange={(next) => choose({ number: next })} />
      <Select
        aria-label="Decision"
        className="w-56! max-w-full"
        value={reason === undefined ? (decision ?? '') : `${REASON_PREFIX}${reason}`}
        onChange={({ target: { value } }) =>
          choose({
            decision: value === 'allowed' || value === 'denied' ? value : undefined,
            reason: value.startsWith(REASON_PREFIX) ? value.slice(REASON_PREFIX.length) : undefined,
          })
        }
      >
        <option value="">Any decision</option>
        {Object.entries(DECISIONS).map(([key, { word }]) => (
          <option key={key} value={key}>
            {word}
          </option>
        ))}
        <optgroup label="Denied because">
          {Object.entries(REASONS).map(([key, { short }]) => (
            <option key={key} value={`${REASON_PREFIX}${key}`}>
              {short}
            </option>
          ))}
        </optgroup>
      </Select>
    </search>
  );
}
