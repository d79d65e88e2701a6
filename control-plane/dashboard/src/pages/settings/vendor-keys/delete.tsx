import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { toast } from 'sonner';
import { dataOf } from '../../../api/client.js';
import type { VendorKey } from '../../../api/types.js';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { ErrorState } from '../../../ui/error-state.js';
import { accountApi } from '../account-api.js';
import { type Vendor, vendorName } from './names.js';
import { keysChanged } from './query.js';

interface DeleteVendorKeyProps {
  readonly held: VendorKey;
  readonly onClose: () => void;
}

/** Asks, and deletes the key. */
export function DeleteVendorKey({ held, onClose }: DeleteVendorKeyProps): ReactNode {
  const { provider, last_four: lastFour } = held;
  const client = useQueryClient();
  const name = vendorName(provider);
  const remove = useMutation({
    mutationFn: () =>
      dataOf(
        accountApi.DELETE('/api/v1/vendor-keys/{provider}', {
          params: { path: { provider: provider as Vendor } },
        }),
      ),
    onSuccess: async () => {
      await keysChanged(client);
      toast.success(`The key of ${name} is deleted`);
      onClose();
    },
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Delete the key of ${name}?`}
      description={`New calls no longer use …${lastFour}. Agents that name ${name} use the key of this installation, or cannot take calls where it has none.`}
      actions={
        <>
          <Button onClick={onClose}>Keep it</Button>
          <Button variant="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
            Delete
          </Button>
        </>
      }
    >
      {remove.isError && <ErrorState title="The key could not be deleted" error={remove.error} />}
    </Dialog>
  );
}
