import { useMutation } from '@tanstack/react-query';
import { CreditCard, ReceiptText } from 'lucide-react';
import type { ReactNode } from 'react';
import { dataOf } from '../../api/client.js';
import { useApi, useMode } from '../../api/mode.js';
import { Button } from '../../ui/button.js';
import { ErrorState } from '../../ui/error-state.js';
import { Card } from '../../ui/page.js';

/** The way to the payment provider's pages. The API refuses both in the sandbox (403 `live_mode_required`). */
export function Payment({
  hasMethod,
  isConfirming,
}: {
  readonly hasMethod: boolean;
  /** Whether the provider is about to confirm a method that was just set up. */
  readonly isConfirming: boolean;
}): ReactNode {
  const { mode, api } = useApi();
  const [, setMode] = useMode();
  const go = useMutation({
    mutationFn: async (to: 'setup' | 'portal') => {
      if (to === 'portal') return dataOf(api.POST('/api/v1/billing/portal'));
      const back = new URL(location.href);
      back.searchParams.delete('billing');
      const done = new URL(back);
      done.searchParams.set('billing', 'success');
      const body = { success_url: done.href, cancel_url: back.href };
      return dataOf(api.POST('/api/v1/billing/setup', { body }));
    },
    onSuccess: ({ url }) => location.assign(url),
  });
  if (mode === 'sandbox') {
    return (
      <Card title="Payment">
        <div className="flex flex-col items-start gap-3 p-4">
          <p className="text-muted">
            The sandbox costs nothing, so there is nothing to pay here. Payment methods and invoices belong to
            live mode.
          </p>
          <Button onClick={() => setMode('live')}>Switch to live</Button>
        </div>
      </Card>
    );
  }
  const open = (to: 'setup' | 'portal') => () => go.mutate(to);
  return (
    <Card title="Payment">
      <div className="flex flex-col items-start gap-3 p-4">
        <p className="text-muted" aria-live="polite">
          {hasMethod
            ? 'A payment method is saved: usage beyond the credit is billed to it.'
            : isConfirming
              ? 'The payment provider is about to confirm the payment method; this page looks by itself.'
              : 'No payment method is saved. When the credit is used up, live calls stop until one is.'}
        </p>
        <div className="flex flex-wrap gap-2">
          <Button
            needs="setUpBilling"
            variant={hasMethod ? 'quiet' : 'primary'}
            busy={go.isPending}
            onClick={open('setup')}
          >
            <CreditCard aria-hidden className="size-4" />
            {hasMethod ? 'Change the payment method' : 'Set up a payment method'}
          </Button>
          {hasMethod && (
            <Button needs="openBillingPortal" busy={go.isPending} onClick={open('portal')}>
              <ReceiptText aria-hidden className="size-4" /> Invoices
            </Button>
          )}
        </div>
        {go.isError && <ErrorState title="The payment page could not be opened" error={go.error} />}
      </div>
    </Card>
  );
}
