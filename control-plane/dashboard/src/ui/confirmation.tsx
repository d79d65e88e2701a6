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
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** What a yes does that is waited for. */
interface Awaited {
  /** The title of the error, if it cannot be done. */
  readonly failure: string;
  readonly action: {
    readonly isPending: boolean;
    readonly isError: boolean;
    readonly error: Error | null;
    readonly mutate: () => void;
  };
  readonly onYes?: undefined;
}

/** What a yes does that is shown at once. */
interface AtOnce {
  readonly onYes: () => void;
  readonly failure?: undefined;
  readonly action?: undefined;
}

/** Asks before something is done; stays open with the reason where it fails, unless it is shown at once. */
export function Confirmation({
  title,
  description,
  yes,
  no = 'Keep it',
  failure,
  action,
  onYes,
  onClose,
  children,
}: ConfirmationProps & (Awaited | AtOnce)): ReactNode {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={description}
      actions={
        <>
          <Button onClick={onClose}>{no}</Button>
          <Button
            variant="danger"
            busy={action?.isPending ?? false}
            onClick={onYes ?? (() => action?.mutate())}
          >
            {yes}
          </Button>
        </>
      }
    >
      {children}
      {action?.isError && <ErrorState title={failure} error={action.error} />}
    </Dialog>
  );
}
