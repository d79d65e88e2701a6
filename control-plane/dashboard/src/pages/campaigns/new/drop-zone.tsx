import { FileUp } from 'lucide-react';
import { type ReactNode, useId, useState } from 'react';
import { classes } from '../../../ui/classes.js';

/** Takes one file: dropped, or chosen by mouse or keyboard. */
export function DropZone({ onFile }: { readonly onFile: (file: File) => void }): ReactNode {
  const id = useId();
  const [over, setOver] = useState(false);
  const take = (files: FileList | null) => {
    const file = files?.[0];
    if (file) onFile(file);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is beside the field, which keyboards reach
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer.files);
      }}
      className={classes(
        'relative flex flex-col items-center gap-1 rounded-lg border-2 border-dashed px-6 py-10 text-center',
        'focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent',
        over ? 'border-accent bg-accent-soft' : 'border-line-strong',
      )}
    >
      <FileUp aria-hidden className="size-8 text-muted" strokeWidth={1.5} />
      <label htmlFor={id} className="font-semibold">
        Drop a CSV file here, or choose one
      </label>
      <p className="max-w-prose text-muted">
        One contact a row, the first row names the columns. It needs a phone number; every other column can be
        a variable of the prompt. At most 10,000 rows. Nothing is saved before you have seen what is wrong.
      </p>
      <input
        id={id}
        type="file"
        accept=".csv,.txt,text/csv"
        className="absolute inset-0 cursor-pointer opacity-0"
        onChange={({ target }) => {
          take(target.files);
          // The same file again, corrected meanwhile, is a change, too.
          target.value = '';
        }}
      />
    </div>
  );
}
