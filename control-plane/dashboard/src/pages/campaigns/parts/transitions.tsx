import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { toast } from 'sonner';
import { dataOf, type Mode } from '../../../api/client.js';
import { useApi } from '../../../api/mode.js';
import type { Campaign } from '../../../api/types.js';
import { dateTime } from '../../../format/time.js';
import { counted } from '../../../format/words.js';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { ErrorState } from '../../../ui/error-state.js';

type Transition = 'start' | 'pause' | 'cancel';

const DONE: Readonly<Record<Transition, string>> = {
  start: 'is launched',
  pause: 'is paused',
  cancel: 'is cancelled',
};

/** What can be done with a campaign in its state; each is asked for once more. */
export function Transitions({ campaign }: { readonly campaign: Campaign }): ReactNode {
  const [asked, setAsked] = useState<Transition | null>(null);
  const { status } = campaign;
  const isOver = status === 'completed' || status === 'cancelled';
  return (
    <>
      {!isOver && (
        <Button needs="cancelCampaign" onClick={() => setAsked('cancel')}>
          Cancel
        </Button>
      )}
      {status === 'running' && (
        <Button needs="pauseCampaign" onClick={() => setAsked('pause')}>
          Pause
        </Button>
      )}
      {!isOver && status !== 'running' && (
        <Button needs="startCampaign" variant="primary" onClick={() => setAsked('start')}>
          {status === 'paused' ? 'Resume' : status === 'scheduled' ? 'Start now' : 'Launch'}
        </Button>
      )}
      {asked !== null && <Confirm campaign={campaign} transition={asked} onClose={() => setAsked(null)} />}
    </>
  );
}

interface ConfirmProps {
  readonly campaign: Campaign;
  readonly transition: Transition;
  readonly onClose: () => void;
}

function Confirm({ campaign, transition, onClose }: ConfirmProps): ReactNode {
  const { mode, api } = useApi();
  const client = useQueryClient();
  const params = { path: { campaign_id: campaign.id } };
  const move = useMutation({
    mutationFn: () =>
      dataOf(
        transition === 'start'
          ? api.POST('/api/v1/campaigns/{campaign_id}/start', { params })
          : transition === 'pause'
            ? api.POST('/api/v1/campaigns/{campaign_id}/pause', { params })
            : api.POST('/api/v1/campaigns/{campaign_id}/cancel', { params }),
      ),
    onSuccess: async ({ status }) => {
      await client.invalidateQueries({ queryKey: [mode, 'campaigns'] });
      toast.success(`${campaign.name} ${status === 'scheduled' ? 'is scheduled' : DONE[transition]}`);
      onClose();
    },
  });
  const { title, description, action } = wordsOf(campaign, transition, mode);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={description}
      actions={
        <>
          <Button onClick={onClose}>Leave it</Button>
          <Button
            variant={transition === 'cancel' ? 'danger' : 'primary'}
            busy={move.isPending}
            onClick={() => move.mutate()}
          >
            {action}
          </Button>
        </>
      }
    >
      {move.isError && <ErrorState title="That did not work" error={move.error} />}
    </Dialog>
  );
}

function wordsOf({ status, scheduled_start, contact_counts }: Campaign, transition: Transition, mode: Mode) {
  const pending = counted(contact_counts.pending, 'contact');
  if (transition === 'pause') {
    return {
      title: 'Pause this campaign?',
      description: 'Nobody new is called. Calls that go on are not cut off. You can resume it.',
      action: 'Pause',
    };
  }
  if (transition === 'cancel') {
    return {
      title: 'Cancel this campaign?',
      description: `${pending} will not be called. Calls that go on are not cut off. This cannot be undone.`,
      action: 'Cancel the campaign',
    };
  }
  const isLater = status === 'draft' && scheduled_start !== null && Date.parse(scheduled_start) > Date.now();
  const where = mode === 'live' ? 'on real phones, which costs money' : 'in the sandbox, which costs nothing';
  return {
    title: status === 'paused' ? 'Resume this campaign?' : 'Launch this campaign?',
    description: `${pending} will be called ${where}, ${isLater ? `from ${dateTime(scheduled_start)} on` : 'from now on'}, within the calling hours.`,
    action: status === 'paused' ? 'Resume' : 'Launch',
  };
}
