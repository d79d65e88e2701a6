import type { ReactNode } from 'react';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { ErrorState } from './error-state.js';

interface ConfirmationProps {
  /** The question. */
  readonly title: string;
  /** What follows from a yes. */
  readonly description: string;
  /** The yes and the no, as labels of their buttons. */
  readonly yes: string;
  readonly no?: string;
  /** The title of the error, if it cannot be done. */
  readonly failure: string;
  /** What a yes does. */
  readonly action: {
    readonly isPending: boolean;
    readonly isError: boolean;
    readonly error: Error | null;
    readonly mutate: () => void;
  };
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** Asks before something is done that cannot be taken back; stays open with the reason where it fails. */
export function Confirmation({
  title,
  description,
  yes,
  no = 'Keep it',
  failure,
  action,
  onClose,
  children,
}: ConfirmationProps): ReactNode {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={description}
      actions={
        <>
          <Button onClick={onClose}>{no}</Button>
          <Button variant="danger" busy={action.isPending} onClick={() => action.mutate()}>
            {yes}
          </Button>
        </>
      }
    >
      {children}
      {action.isError && <ErrorState title={failure} error={action.error} />}
    </Dialog>
  );
}
