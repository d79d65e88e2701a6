import { Slot } from 'radix-ui';
import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { toast } from 'sonner';
import type { Operation } from '../api/roles.js';
import { classes } from './classes.js';
import { usePermission } from './permission.js';

const VARIANTS = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong',
  quiet: 'border border-line bg-surface hover:bg-sunken',
  ghost: 'hover:bg-sunken',
  danger: 'bg-bad text-on-bad hover:opacity-90',
} as const;

const SIZES = {
  small: 'h-7 px-2 text-xs gap-1',
  normal: 'h-9 px-3 gap-1.5',
  icon: 'size-9 justify-center',
} as const;

interface ButtonProps extends ComponentProps<'button'> {
  readonly variant?: keyof typeof VARIANTS;
  readonly size?: keyof typeof SIZES;
  /** The child is the element, as a link that looks like a button. */
  readonly asChild?: boolean;
  /** Its action runs: it cannot be pressed again. */
  readonly busy?: boolean;
  /** The operation of the API that it begins: a person who may not do it sees why instead. */
  readonly needs?: Operation;
}

/** A button; `size="icon"` needs an `aria-label`. */
export function Button({
  variant = 'quiet',
  size = 'normal',
  asChild = false,
  busy = false,
  needs,
  className,
  disabled,
  title,
  onClick,
  ...rest
}: ButtonProps): ReactNode {
  const Element = asChild ? Slot.Root : 'button';
  const permission = usePermission();
  const refusal = needs === undefined ? null : permission(needs);
  const refuse = (event: MouseEvent) => {
    event.preventDefault();
    event.stopPropagation();
    toast.error(refusal);
  };
  return (
    <Element
      type={asChild ? undefined : 'button'}
      aria-busy={busy || undefined}
      disabled={asChild ? undefined : disabled || busy}
      // Not `disabled`: it must be reached by keyboard, to say why.
      aria-disabled={refusal === null ? undefined : true}
      title={refusal ?? title}
      onClick={refusal === null ? onClick : refuse}
      className={classes(
        'inline-flex shrink-0 items-center rounded-md font-medium whitespace-nowrap transition-colors',
        'disabled:cursor-not-allowed disabled:opacity-55',
        'aria-disabled:cursor-not-allowed aria-disabled:opacity-55',
        VARIANTS[variant],
        SIZES[size],
        className,
      )}
      {...rest}
    />
  );
}
