import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { toast } from 'sonner';
import { dataOf } from '../../../api/client.js';
import type { VendorKey } from '../../../api/types.js';
import { Confirmation } from '../../../ui/confirmation.js';
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
    <Confirmation
      title={`Delete the key of ${name}?`}
      description={`New calls no longer use …${lastFour}. Agents that name ${name} use the key of this installation, or cannot take calls where it has none.`}
      yes="Delete"
      failure="The key could not be deleted"
      action={remove}
      onClose={onClose}
    />
  );
}
