import { useMutation, useQuery } from '@tanstack/react-query';
import { ArrowRightLeft, Headphones, PhoneOff, Send } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { toast } from 'sonner';
import { dataOf } from '../../api/client.js';
import { useApi } from '../../api/mode.js';
import type { Call } from '../../api/types.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { Input } from '../../ui/field.js';
import { Listener } from './listener.js';
import { TransferDialog } from './transfer-dialog.js';

const failed = (error: Error) => toast.error(error.message);

/** What an operator does to a call that goes on. */
export function Operator({ call }: { readonly call: Call }): ReactNode {
  const { mode, api } = useApi();
  const params = { path: { call_id: call.id } };
  const [text, setText] = useState('');
  const [asking, setAsking] = useState<'hang_up' | 'transfer' | null>(null);
  const presets = useQuery({
    queryKey: [mode, 'agents', call.agent_id, 'nudge-presets'],
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (
        await dataOf(
          api.GET('/api/v1/agents/{agent_id}/nudge-presets', {
            params: { path: { agent_id: call.agent_id } },
            signal,
          }),
        )
      ).presets,
  });
  const whisper = useMutation({
    mutationFn: (note: string) =>
      dataOf(api.POST('/api/v1/calls/{call_id}/whisper', { params, body: { text: note } })),
    onSuccess: () => setText(''),
    onError: failed,
  });
  const nudge = useMutation({
    mutationFn: (preset_id: string) =>
      dataOf(api.POST('/api/v1/calls/{call_id}/nudge', { params, body: { preset_id } })),
    onError: failed,
  });
  const hangUp = useMutation({
    mutationFn: () => dataOf(api.POST('/api/v1/calls/{call_id}/hangup', { params, body: {} })),
    onSuccess: () => setAsking(null),
    onError: failed,
  });
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') whisper.mutate(text.trim());
  };
  return (
    <div className="flex flex-col gap-2 border-t border-line p-3">
      {(presets.data?.length ?? 0) > 0 && (
        <div className="flex flex-wrap gap-1.5">
          {presets.data?.map(({ id, label, text: words }) => (
            <Button
              key={id}
              needs="nudge"
              size="small"
              title={words}
              disabled={nudge.isPending}
              onClick={() => nudge.mutate(id)}
            >
              {label}
            </Button>
          ))}
        </div>
      )}
      <form onSubmit={send} className="flex gap-2">
        <Input
          value={text}
          aria-label="Whisper to the agent"
          placeholder="Whisper to the agent; the caller does not hear it"
          autoComplete="off"
          maxLength={1000}
          onChange={({ target }) => setText(target.value)}
        />
        <Button
          needs="whisper"
          type="submit"
          size="icon"
          variant="primary"
          aria-label="Whisper"
          busy={whisper.isPending}
        >
          <Send aria-hidden className="size-4" />
        </Button>
      </form>
      <div className="flex flex-wrap gap-2">
        <Listen callId={call.id} />
        <Button needs="transferCall" onClick={() => setAsking('transfer')}>
          <ArrowRightLeft aria-hidden className="size-4" /> Transfer
        </Button>
        <Button needs="hangUpCall" variant="danger" className="ml-auto" onClick={() => setAsking('hang_up')}>
          <PhoneOff aria-hidden className="size-4" /> Hang up
        </Button>
      </div>
      {asking === 'transfer' && <TransferDialog call={call} onClose={() => setAsking(null)} />}
      {asking === 'hang_up' && (
        <Dialog
          open
          onOpenChange={() => setAsking(null)}
          title="Hang up?"
          description="The call ends at once, in the middle of a word if need be."
          actions={
            <>
              <Button onClick={() => setAsking(null)}>Let it go on</Button>
              <Button variant="danger" busy={hangUp.isPending} onClick={() => hangUp.mutate()}>
                Hang up
              </Button>
            </>
          }
        />
      )}
    </div>
  );
}

/** Sound of both sides as it happens. */
function Listen({ callId }: { readonly callId: string }): ReactNode {
  const { api } = useApi();
  const listener = useRef<Listener | null>(null);
  const [listening, setListening] = useState(false);
  useEffect(() => () => listener.current?.close(), []);
  const begin = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/api/v1/calls/{call_id}/live-link', { params: { path: { call_id: callId } } })),
    onError: failed,
  });
  const listen = ({ listen_url }: { readonly listen_url: string }) => {
    // By another of the service's names than the page came from it would be refused.
    const { pathname, search } = new URL(listen_url);
    listener.current = new Listener(pathname + search, (why) => {
      setListening(false);
      if (why !== null) toast.error('The sound has ended', { description: why });
    });
    setListening(true);
  };
  return (
    <Button
      needs="createLiveLink"
      aria-pressed={listening}
      busy={begin.isPending}
      className={listening ? 'border-accent! text-accent' : ''}
      onClick={() => {
        // Called as long as the button is there: to a call that was left nobody listens.
        if (!listening) begin.mutate(undefined, { onSuccess: listen });
        else {
          listener.current?.close();
          setListening(false);
        }
      }}
    >
      <Headphones aria-hidden className="size-4" /> {listening ? 'Listening' : 'Listen'}
    </Button>
  );
}
