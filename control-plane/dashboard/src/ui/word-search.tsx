import type { ReactNode } from 'react';
import { Button } from './button.js';
import { Input } from './field.js';

interface WordSearchProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string | undefined;
  /** Fewer letters than these are not looked for. */
  readonly fewest: number;
  /** `undefined`: no words. */
  readonly onChange: (words: string | undefined) => void;
}

/** Looks for words once they are entered, and for none once they are taken out. */
export function WordSearch({ label, placeholder, value, fewest, onChange }: WordSearchProps): ReactNode {
  return (
    <form
      className="flex min-w-0 gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        const words = String(new FormData(event.currentTarget).get('words') ?? '').trim();
        onChange(words === '' ? undefined : words);
      }}
    >
      <Input
        key={value}
        name="words"
        type="search"
        defaultValue={value}
        aria-label={label}
        placeholder={placeholder}
        minLength={fewest}
        maxLength={100}
        autoComplete="off"
        className="w-52!"
        onChange={({ target }) => target.value === '' && value !== undefined && onChange(undefined)}
      />
      <Button type="submit">Search</Button>
    </form>
  );
}
