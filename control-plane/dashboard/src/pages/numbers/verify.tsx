import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { toast } from 'sonner';
import { dataOf } from '../../api/client.js';
import { useApi } from '../../api/mode.js';
import { Button } from '../../ui/button.js';
import { ErrorState } from '../../ui/error-state.js';
import { Field, Input } from '../../ui/field.js';

const CODE = /^\d{6}$/;

/** Shows by a code that a number is the tenant's own, so that agents may call from it. */
export function Verify({ number }: { readonly number: string }): ReactNode {
  const { mode, api } = useApi();
  const client = useQueryClient();
  const [code, setCode] = useState('');
  const start = useMutation({
    mutationFn: (channel: 'sms' | 'voice') =>
      dataOf(api.POST('/api/v1/verifications', { body: { phone_number: number, channel } })),
  });
  const confirm = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/api/v1/verifications/confirm', { body: { phone_number: number, code } })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: [mode, 'phones'] });
      toast.success(`Agents can call from ${number} now`);
    },
  });
  return (
    <section aria-label="Verify the caller ID" className="flex flex-col gap-3 border-t border-line pt-4">
      <h3 className="font-semibold">Verify the caller ID</h3>
      <p className="text-muted">
        {mode === 'live'
          ? 'A code of six digits goes to the number, good for 10 minutes.'
          : 'In the sandbox the simulated carrier takes the code, and no phone rings: verify numbers in live mode.'}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button needs="startVerification" busy={start.isPending} onClick={() => start.mutate('sms')}>
          Send a code by SMS
        </Button>
        <Button needs="startVerification" busy={start.isPending} onClick={() => start.mutate('voice')}>
          Send it by a call
        </Button>
      </div>
      {start.isError && <ErrorState title="The code could not be sent" error={start.error} />}
      {start.isSuccess && (
        <form
          className="flex flex-col gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            confirm.mutate();
          }}
        >
          <Field
            label="Code"
            hint={start.data.channel === 'sms' ? `Sent by SMS to ${number}.` : `${number} is being called.`}
          >
            {(ids) => (
              <Input
                {...ids}
                value={code}
                onChange={({ target }) => setCode(target.value.trim())}
                inputMode="numeric"
                autoComplete="one-time-code"
                maxLength={6}
                className="w-32!"
              />
            )}
          </Field>
          {confirm.isError && <ErrorState title="The number is not verified" error={confirm.error} />}
          <div>
            <Button type="submit" variant="primary" disabled={!CODE.test(code)} busy={confirm.isPending}>
              Verify
            </Button>
          </div>
        </form>
      )}
    </section>
  );
}
