import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { dataOf } from '../../api/client.js';
import { useApi } from '../../api/mode.js';
import { label } from '../../format/words.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { ErrorState } from '../../ui/error-state.js';
import { Field, Input, Select } from '../../ui/field.js';
import { SkeletonRows } from '../../ui/skeleton.js';
import { availableQuery, CARRIERS, type Carrier, type Wanted } from './query.js';

interface BuyNumberProps {
  readonly onClose: () => void;
  readonly onBought: (phoneId: string) => void;
}

/** Searches what a carrier sells, and buys one of it. */
export function BuyNumber({ onClose, onBought }: BuyNumberProps): ReactNode {
  const { mode, api } = useApi();
  const client = useQueryClient();
  const [wanted, setWanted] = useState<Wanted>({ country: 'US', area_code: '', provider: CARRIERS[0] });
  const buy = useMutation({
    mutationFn: (body: { readonly phone_number: string; readonly provider: Carrier }) =>
      dataOf(api.POST('/api/v1/phones', { body })),
    onSuccess: async ({ id, phone_number }) => {
      await client.invalidateQueries({ queryKey: [mode, 'phones'] });
      toast.success(`${phone_number} is yours`);
      onClose();
      onBought(id);
    },
  });
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Buy a number"
      description={
        mode === 'live'
          ? 'The carrier charges for it until you release it. It is verified at once.'
          : 'Simulated, without cost. It is verified at once.'
      }
    >
      <Search wanted={wanted} onSearch={setWanted} />
      {buy.isError && <ErrorState title="The number could not be bought" error={buy.error} />}
      <Found
        wanted={wanted}
        buying={buy.isPending ? buy.variables.phone_number : null}
        onBuy={(phone_number) => buy.mutate({ phone_number, provider: wanted.provider })}
      />
    </Dialog>
  );
}

function Search({
  wanted,
  onSearch,
}: {
  readonly wanted: Wanted;
  readonly onSearch: (wanted: Wanted) => void;
}): ReactNode {
  const { mode } = useApi();
  const { register, handleSubmit, formState } = useForm<Wanted>({ defaultValues: wanted });
  const { errors } = formState;
  return (
    <form
      className="flex flex-wrap items-start gap-3"
      onSubmit={(event) =>
        void handleSubmit((values) => onSearch({ ...values, country: values.country.toUpperCase() }))(event)
      }
    >
      <Field label="Country" error={errors.country?.message} className="w-24">
        {(ids) => (
          <Input
            {...ids}
            {...register('country', { pattern: { value: /^[A-Za-z]{2}$/, message: 'Two letters, as US.' } })}
            maxLength={2}
          />
        )}
      </Field>
      <Field label="Area code" error={errors.area_code?.message} className="w-24">
        {(ids) => (
          <Input
            {...ids}
            {...register('area_code', { pattern: { value: /^\d{0,5}$/, message: 'Digits alone.' } })}
            inputMode="numeric"
            placeholder="Any"
          />
        )}
      </Field>
      {mode === 'live' && (
        <Field label="Carrier" className="w-32">
          {(ids) => (
            <Select {...ids} {...register('provider')}>
              {CARRIERS.map((carrier) => (
                <option key={carrier} value={carrier}>
                  {label(carrier)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      <Button type="submit" className="mt-6.5">
        Search
      </Button>
    </form>
  );
}

interface FoundProps {
  readonly wanted: Wanted;
  readonly buying: string | null;
  readonly onBuy: (number: string) => void;
}

function Found({ wanted, buying, onBuy }: FoundProps): ReactNode {
  const found = useQuery({ ...availableQuery(useApi(), wanted), placeholderData: keepPreviousData });
  if (found.isPending) return <SkeletonRows rows={4} />;
  if (found.isLoadingError) {
    return (
      <ErrorState
        title="The carrier could not be asked"
        error={found.error}
        onRetry={() => void found.refetch()}
      />
    );
  }
  if (found.data.length === 0) {
    return (
      <p className="text-muted">The carrier has no such number. Leave the area code out, or try another.</p>
    );
  }
  return (
    <ul aria-label="Numbers for sale" className="rounded-md border border-line">
      {found.data.map(({ phone_number, locality, region }) => (
        <li
          key={phone_number}
          className="flex items-center justify-between gap-3 border-b border-line px-3 py-2 last:border-0"
        >
          <span className="min-w-0">
            <span className="font-medium tabular-nums">{phone_number}</span>{' '}
            <span className="text-muted">{[locality, region].filter(Boolean).join(', ')}</span>
          </span>
          <Button
            size="small"
            aria-label={`Buy ${phone_number}`}
            busy={buying === phone_number}
            disabled={buying !== null}
            onClick={() => onBuy(phone_number)}
          >
            Buy
          </Button>
        </li>
      ))}
    </ul>
  );
}
