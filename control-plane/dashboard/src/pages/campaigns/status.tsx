import type { ReactNode } from 'react';
import type { CampaignStatus, ContactStatus } from '../../api/types.js';
import { label } from '../../format/words.js';
import { Badge, type Tone } from '../../ui/badge.js';

const TONES: Readonly<Record<CampaignStatus | ContactStatus, Tone>> = {
  draft: 'neutral',
  scheduled: 'warn',
  running: 'accent',
  paused: 'warn',
  completed: 'good',
  cancelled: 'neutral',
  pending: 'neutral',
  dialing: 'warn',
  in_progress: 'accent',
  failed: 'bad',
  busy: 'neutral',
  no_answer: 'neutral',
  voicemail: 'neutral',
  skipped: 'neutral',
};

/** The status of a campaign, or of one of its contacts. */
export function StatusBadge({ status }: { readonly status: CampaignStatus | ContactStatus }): ReactNode {
  return <Badge tone={TONES[status]}>{label(status)}</Badge>;
}
