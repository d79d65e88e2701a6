import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Input, Select } from '../../../ui/field.js';
import { type AnalyticsSearch, BUCKETS, RANGES, type Range } from '../search.js';

const routeApi = getRouteApi('/analytics');
const OWN = 'own';

/** Chooses the days that are shown, by length or from one day to another, and what they are summed up by. */
export function RangeChoice({ range }: { readonly range: Range }): ReactNode {
  const { days = 30, from, to } = routeApi.useSearch();
  const navigate = useNavigate({ from: '/analytics' });
  const isOwn = from !== undefined || to !== undefined;
  const choose = (change: Partial<AnalyticsSearch>) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const dates = [
    ['From', 'from'],
    ['To', 'to'],
  ] as const;
  return (
    <>
      <Select
        aria-label="Range"
        className="w-auto!"
        value={isOwn ? OWN : days}
        onChange={({ target: { value } }) =>
          value === OWN
            ? choose({ from: range.from, to: range.to })
            : choose({
                days: RANGES.find((length) => String(length) === value),
                from: undefined,
                to: undefined,
              })
        }
      >
        {RANGES.map((length) => (
          <option key={length} value={length}>
            Last {length} days
          </option>
        ))}
        <option value={OWN}>From … to …</option>
      </Select>
      {isOwn &&
        dates.map(([label, key]) => (
          <Input
            key={key}
            aria-label={label}
            type="date"
            className="w-auto!"
            value={range[key]}
            // A date that is being typed is none yet: the address keeps the one of before.
            onChange={({ target: { value } }) =>
              value !== '' && choose({ from: range.from, to: range.to, [key]: value })
            }
          />
        ))}
      <Select
        aria-label="Sum up by"
        className="w-auto!"
        value={range.bucket}
        onChange={({ target }) => choose({ by: BUCKETS.find((bucket) => bucket === target.value) })}
      >
        {BUCKETS.map((bucket) => (
          <option key={bucket} value={bucket}>
            By {bucket}
          </option>
        ))}
      </Select>
    </>
  );
}
