import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { z } from 'zod';
import { dataOf } from '../../../api/client.js';
import { ApiError } from '../../../api/errors.js';
import type { VendorKey } from '../../../api/types.js';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { ErrorState } from '../../../ui/error-state.js';
import { Field, Input, Select } from '../../../ui/field.js';
import { accountApi } from '../account-api.js';
import { isVendor, kindsOf, VENDORS, vendorName } from './names.js';
import { keysChanged } from './query.js';

const keyForm = z.object({
  provider: z.enum(VENDORS),
  api_key: z
    .string()
    .trim()
    .min(8, 'Paste the whole key, as the vendor shows it.')
    .max(512, 'At most 512 characters.')
    .regex(/^[\x21-\x7e]*$/, 'A key has no spaces. Copy it again.'),
});
type KeyForm = z.infer<typeof keyForm>;

interface SetVendorKeyProps {
  /** The vendors to choose from; one alone: its key is set or replaced. */
  readonly choices: readonly VendorKey[];
  readonly onClose: () => void;
}

/** Takes a key, and saves it once the vendor has taken it. */
export function SetVendorKey({ choices, onClose }: SetVendorKeyProps): ReactNode {
  const client = useQueryClient();
  const [first] = choices;
  const replaces = first?.set === true;
  const { register, handleSubmit, formState } = useForm<KeyForm>({
    resolver: zodResolver(keyForm),
    defaultValues: { provider: isVendor(first?.provider) ? first.provider : VENDORS[0], api_key: '' },
  });
  const save = useMutation({
    mutationFn: ({ provider, api_key, verify }: KeyForm & { readonly verify: boolean }) =>
      dataOf(
        accountApi.PUT('/api/v1/vendor-keys/{provider}', {
          params: { path: { provider } },
          body: { api_key, verify },
        }),
      ),
    onSuccess: async ({ provider, last_four: lastFour }) => {
      await keysChanged(client);
      toast.success(`The key …${lastFour} of ${vendorName(provider)} is saved`);
      onClose();
    },
  });
  const submit = (verify: boolean) => handleSubmit((values) => save.mutate({ ...values, verify }));
  const isAway = save.error instanceof ApiError && save.error.code === 'vendor_unavailable';
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={replaces ? `Replace the key of ${vendorName(first.provider)}` : 'Add a vendor key'}
      description="It is checked with the vendor and stored encrypted. It holds for the next call."
    >
      <form className="flex flex-col gap-4" onSubmit={(event) => void submit(true)(event)}>
        {!replaces && (
          <Field label="Vendor">
            {(ids) => (
              <Select {...ids} {...register('provider')}>
                {choices.map((choice) => (
                  <option key={choice.provider} value={choice.provider}>
                    {vendorName(choice.provider)} ({kindsOf(choice)})
                  </option>
                ))}
              </Select>
            )}
          </Field>
        )}
        <Field label="Key" error={formState.errors.api_key?.message}>
          {(ids) => (
            <Input
              {...ids}
              {...register('api_key')}
              type="password"
              autoComplete="off"
              spellCheck={false}
              className="font-mono"
            />
          )}
        </Field>
        {save.isError && <ErrorState title="The key is not saved" error={save.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          {isAway && (
            <Button busy={save.isPending} onClick={() => void submit(false)()}>
              Save without checking
            </Button>
          )}
          <Button type="submit" variant="primary" busy={save.isPending}>
            {replaces ? 'Replace key' : 'Save key'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
