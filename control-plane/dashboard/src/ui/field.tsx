import { type ComponentProps, type ReactNode, useId } from 'react';
import { classes } from './classes.js';

const INPUT_CLASS =
  'w-full rounded-md border border-line-strong bg-surface px-2.5 py-1.5 placeholder:text-muted aria-invalid:border-bad';

interface FieldProps {
  readonly label: string;
  /** What to enter and why, below the label. */
  readonly hint?: ReactNode;
  /** What is wrong, as a sentence. */
  readonly error?: string | undefined;
  readonly className?: string;
  /** Renders the input with the ids that tie it to label, hint and error. */
  readonly children: (ids: {
    readonly id: string;
    readonly 'aria-describedby': string | undefined;
    readonly 'aria-invalid': boolean | undefined;
  }) => ReactNode;
}

/** A labelled input with hint and error, tied together for readers of the screen. */
export function Field({ label, hint, error, className, children }: FieldProps): ReactNode {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(
    Boolean,
  );
  return (
    <div className={classes('flex flex-col gap-1', className)}>
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {children({
        id,
        'aria-describedby': described.join(' ') || undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="text-xs font-medium text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

export const Input = ({ className, ...rest }: ComponentProps<'input'>): ReactNode => (
  <input className={classes(INPUT_CLASS, 'h-9', className)} {...rest} />
);

export const TextArea = ({ className, ...rest }: ComponentProps<'textarea'>): ReactNode => (
  <textarea className={classes(INPUT_CLASS, 'min-h-20', className)} {...rest} />
);

export const Select = ({ className, ...rest }: ComponentProps<'select'>): ReactNode => (
  <select className={classes(INPUT_CLASS, 'h-9 pr-8', className)} {...rest} />
);
