import type { ReactNode } from 'react';
import { label } from '../../../format/words.js';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import type { AgentForm } from './form.js';

/** A save that would undo what another one has stored since the form began. */
export class EditConflict extends Error {
  readonly fields: readonly (keyof AgentForm)[];
  /** What would have been saved. */
  readonly edited: AgentForm;

  constructor(fields: readonly (keyof AgentForm)[], edited: AgentForm) {
    super('Somebody else saved the same parts of the agent.');
    this.name = 'EditConflict';
    this.fields = fields;
    this.edited = edited;
  }
}

interface EditConflictDialogProps {
  readonly conflict: EditConflict;
  readonly onClose: () => void;
  readonly onCompare: () => void;
  readonly onSaveOver: (edited: AgentForm) => void;
}

/** Asks before a save takes back what somebody else saved meanwhile. */
export function EditConflictDialog({
  conflict: { fields, edited },
  onClose,
  onCompare,
  onSaveOver,
}: EditConflictDialogProps): ReactNode {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Somebody else changed this meanwhile"
      description={`Since you began, another save changed what you changed, too: ${fields
        .map((field) => label(field).toLowerCase())
        .join(', ')}. Yours would take its place; theirs stays a version. Nothing is saved yet.`}
      actions={
        <>
          <Button onClick={onClose}>Keep editing</Button>
          <Button onClick={onCompare}>See the versions</Button>
          <Button variant="primary" onClick={() => onSaveOver(edited)}>
            Save mine
          </Button>
        </>
      }
    />
  );
}
