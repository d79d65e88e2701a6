import type { ReactNode } from 'react';
import { Select } from '../../../ui/field.js';
import { MEANINGS, type Meaning, variableName } from './contacts-csv.js';
import type { CsvFile } from './read-csv.js';

const LABELS: Readonly<Record<Meaning, string>> = {
  phone: 'Phone number',
  first_name: 'First name',
  last_name: 'Last name',
  field: 'Variable',
  skip: 'Skip it',
};

/** What each column of the file holds. */
export function Columns({
  file,
  meanings,
  onChange,
}: {
  readonly file: CsvFile;
  readonly meanings: readonly Meaning[];
  readonly onChange: (meanings: Meaning[]) => void;
}): ReactNode {
  return (
    <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
      {file.header.map((name, index) => {
        const shown = name.trim() || `Column ${index + 1}`;
        const example = file.rows.find(({ cells }) => cells[index]?.trim())?.cells[index];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are, and names may repeat
          <li key={index} className="flex min-w-0 flex-col gap-1 rounded-md border border-line p-3">
            <span className="truncate font-medium">{shown}</span>
            <span className="truncate text-xs text-muted">{example ? `as ${example}` : 'empty'}</span>
            <Select
              aria-label={`Meaning of ${shown}`}
              value={meanings[index]}
              onChange={({ target }) =>
                onChange(meanings.map((meaning, at) => (at === index ? (target.value as Meaning) : meaning)))
              }
            >
              {MEANINGS.map((meaning) => (
                <option key={meaning} value={meaning}>
                  {meaning === 'field' && name.trim()
                    ? `Variable {{${variableName(name)}}}`
                    : LABELS[meaning]}
                </option>
              ))}
            </Select>
          </li>
        );
      })}
    </ul>
  );
}
