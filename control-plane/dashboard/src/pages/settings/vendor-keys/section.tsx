import { useQuery } from '@tanstack/react-query';
import { createLazyRoute } from '@tanstack/react-router';
import { KeySquare, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { VendorKey, VendorKeyList } from '../../../api/types.js';
import { Button } from '../../../ui/button.js';
import { EmptyState } from '../../../ui/empty-state.js';
import { ErrorState } from '../../../ui/error-state.js';
import { Card } from '../../../ui/page.js';
import { SkeletonRows } from '../../../ui/skeleton.js';
import { Time } from '../../../ui/time.js';
import { DeleteVendorKey } from './delete.js';
import { vendorName } from './names.js';
import { vendorKeysQuery } from './query.js';
import { VendorKeyRow } from './row.js';
import { SetVendorKey } from './set.js';

export const route = createLazyRoute('/settings/vendor-keys')({ component: VendorKeysSection });

/** What is open over the list. */
type Open =
  | { readonly what: 'add' }
  | { readonly what: 'replace' | 'delete'; readonly held: VendorKey }
  | null;

/** The tenant's own keys at vendors: add, check, replace, delete. */
function VendorKeysSection(): ReactNode {
  const list = useQuery(vendorKeysQuery);
  const [open, setOpen] = useState<Open>(null);
  const close = () => setOpen(null);
  const held = list.data?.vendor_keys.filter(({ set }) => set) ?? [];
  const missing = list.data?.vendor_keys.filter(({ set }) => !set) ?? [];
  const add = (
    <Button
      needs="setVendorKey"
      variant="primary"
      onClick={() => setOpen({ what: 'add' })}
      disabled={missing.length === 0}
    >
      <Plus aria-hidden className="size-4" /> Add key
    </Button>
  );
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-base font-semibold">Vendor keys</h2>
        {held.length > 0 && add}
      </div>
      <p className="max-w-prose text-muted">
        Your own accounts for speech and language models. An agent’s own key comes first, then yours, then
        that of this installation. What runs on your key is charged by the vendor.
      </p>
      {list.isPending ? (
        <SkeletonRows />
      ) : list.isLoadingError ? (
        <ErrorState
          title="The keys could not be loaded"
          error={list.error}
          onRetry={() => void list.refetch()}
        />
      ) : held.length === 0 ? (
        <Card>
          <EmptyState icon={KeySquare} title="No keys of your own yet" action={add}>
            {withoutOwn(list.data)} Copy a key from your account at a vendor and add it here. It is checked
            with the vendor, stored encrypted and never shown again.
          </EmptyState>
        </Card>
      ) : (
        <ul aria-label="Vendor keys" className="rounded-lg border border-line bg-surface">
          {held.map((each) => (
            <VendorKeyRow
              key={each.provider}
              held={each}
              onReplace={() => setOpen({ what: 'replace', held: each })}
              onDelete={() => setOpen({ what: 'delete', held: each })}
            />
          ))}
        </ul>
      )}
      {list.data !== undefined && list.data.changes.length > 0 && <Changes changes={list.data.changes} />}
      {open?.what === 'add' && <SetVendorKey choices={missing} onClose={close} />}
      {open?.what === 'replace' && <SetVendorKey choices={[open.held]} onClose={close} />}
      {open?.what === 'delete' && <DeleteVendorKey held={open.held} onClose={close} />}
    </>
  );
}

/** What agents use as long as there is no key. */
function withoutOwn({ vendor_keys }: VendorKeyList): string {
  const installed = vendor_keys.filter(({ account }) => account === 'installation');
  if (installed.length === 0) return 'Your agents use the providers of this machine, which need no key.';
  const names = installed.map(({ provider }) => vendorName(provider)).join(', ');
  return `Your agents use the keys of this installation: ${names}.`;
}

function Changes({ changes }: { readonly changes: VendorKeyList['changes'] }): ReactNode {
  return (
    <details>
      <summary className="cursor-pointer font-medium">Who changed what</summary>
      <ul className="mt-2 flex max-h-60 flex-col gap-1 overflow-auto">
        {changes.map(({ provider, action, at, by }) => (
          <li key={`${at} ${provider} ${action}`} className="text-muted">
            <Time at={at} />: {vendorName(provider)} {action} by{' '}
            <code className="font-mono text-xs break-all">{by.user_id ?? by.key_id}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}
