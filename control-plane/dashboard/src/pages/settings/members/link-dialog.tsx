import type { ReactNode } from 'react';
import { Button } from '../../../ui/button.js';
import { CopyButton } from '../../../ui/code-block.js';
import { Dialog } from '../../../ui/dialog.js';
import { Input } from '../../../ui/field.js';

interface LinkDialogProps {
  readonly title: string;
  readonly description: string;
  readonly url: string;
  readonly onClose: () => void;
}

/** Shows a link that signs somebody in, this once. */
export function LinkDialog({ title, description, url, onClose }: LinkDialogProps): ReactNode {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={description}
      actions={
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex gap-2">
        <Input
          readOnly
          value={url}
          aria-label="The link"
          spellCheck={false}
          className="font-mono"
          onFocus={({ target }) => target.select()}
        />
        <CopyButton text={url} label="Copy the link" />
      </div>
    </Dialog>
  );
}
