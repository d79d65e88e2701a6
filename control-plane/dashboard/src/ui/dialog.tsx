import { X } from 'lucide-react';
import { Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { Button } from './button.js';

interface DialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  readonly description?: ReactNode;
  readonly children?: ReactNode;
  /** The buttons at the end, the main one last. */
  readonly actions?: ReactNode;
}

/** A modal dialog: holds the focus, closes by Escape, gives the focus back. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  children,
  actions,
}: DialogProps): ReactNode {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-shade" />
        <Radix.Content
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          className="fixed top-[12vh] left-1/2 z-50 flex max-h-[80vh] w-[min(34rem,calc(100vw-2rem))] -translate-x-1/2 flex-col gap-4 overflow-auto rounded-xl border border-line bg-raised p-5 shadow-2xl"
        >
          <div className="flex items-start justify-between gap-4">
            <div>
              <Radix.Title className="text-base font-semibold wrap-anywhere">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="mt-1 wrap-anywhere text-muted">{description}</Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <Button variant="ghost" size="icon" aria-label="Close" className="-mt-1.5 -mr-2">
                <X aria-hidden className="size-4" />
              </Button>
            </Radix.Close>
          </div>
          {children}
          {actions !== undefined && (
            // In sight also of what is too long for the window.
            <div className="sticky -bottom-5 -mx-5 -mt-2 -mb-5 flex flex-wrap justify-end gap-2 bg-raised px-5 pt-2 pb-5">
              {actions}
            </div>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
