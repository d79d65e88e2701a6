import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { dataOf } from '../../../api/client.js';
import type { VendorKey } from '../../../api/types.js';
import { Badge, type Tone } from '../../../ui/badge.js';
import { Button } from '../../../ui/button.js';
import { Time } from '../../../ui/time.js';
import { accountApi } from '../account-api.js';
import { kindsOf, type Vendor, vendorName } from './names.js';
import { keysChanged } from './query.js';

const VERDICTS = {
  healthy: ['good', 'Works'],
  refused: ['bad', 'Refused'],
  unreachable: ['warn', 'Vendor away'],
  unknown: ['neutral', 'Cannot say'],
} as const satisfies Record<string, readonly [Tone, string]>;

interface VendorKeyRowProps {
  readonly held: VendorKey;
  readonly onReplace: () => void;
  readonly onDelete: () => void;
}

/** One key: whose, since when, whether it works. */
export function VendorKeyRow({ held, onReplace, onDelete }: VendorKeyRowProps): ReactNode {
  const { provider, last_four: lastFour, checked_at: checkedAt, changed_at: changedAt } = held;
  const client = useQueryClient();
  const name = vendorName(provider);
  const check = useMutation({
    mutationFn: () =>
      dataOf(
        accountApi.POST('/api/v1/vendor-keys/{provider}/check', {
          params: { path: { provider: provider as Vendor } },
        }),
      ),
    onSuccess: () => keysChanged(client),
  });
  const [tone, word] = check.data ? VERDICTS[check.data.health] : ['neutral' as const, ''];
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3 last:border-b-0">
      <div className="min-w-40 flex-1">
        <h3 className="font-semibold">{name}</h3>
        <p className="text-xs text-muted">{kindsOf(held)}</p>
      </div>
      <code className="font-mono text-xs">…{lastFour}</code>
      <p className="text-xs text-muted">
        {checkedAt !== null ? (
          <>
            Taken by the vendor <Time at={checkedAt} />
          </>
        ) : (
          changedAt !== null && (
            <>
              Saved <Time at={changedAt} />, not checked
            </>
          )
        )}
      </p>
      <span role="status">
        {check.data && (
          <Badge tone={tone} title={check.data.detail}>
            {word}
          </Badge>
        )}
        {check.isError && <Badge tone="bad">{check.error.message}</Badge>}
      </span>
      <div className="flex gap-2">
        <Button
          size="small"
          busy={check.isPending}
          onClick={() => check.mutate()}
          aria-label={`Check the key of ${name}`}
        >
          Check
        </Button>
        <Button size="small" onClick={onReplace} aria-label={`Replace the key of ${name}`}>
          Replace
        </Button>
        <Button size="small" onClick={onDelete} aria-label={`Delete the key of ${name}`}>
          Delete
        </Button>
      </div>
      {check.data && check.data.health !== 'healthy' && (
        <p className="basis-full text-xs text-muted">{check.data.detail}</p>
      )}
    </li>
  );
}
