import type { ReactNode } from 'react';
import type { CallStatus } from '../../api/types.js';
import { label } from '../../format/words.js';
import { Badge, type Tone } from '../../ui/badge.js';

const TONES: Readonly<Record<CallStatus, Tone>> = {
  QUEUED: 'neutral',
  RINGING: 'warn',
  IN_PROGRESS: 'accent',
  COMPLETED: 'good',
  FAILED: 'bad',
  BUSY: 'neutral',
  NO_ANSWER: 'neutral',
  VOICEMAIL: 'neutral',
};

/** Whether nothing more happens to a call of this status but what follows its end. */
export const isOver = (status: CallStatus): boolean =>
  status !== 'QUEUED' && status !== 'RINGING' && status !== 'IN_PROGRESS';

export function CallStatusBadge({ status }: { readonly status: CallStatus }): ReactNode {
  return <Badge tone={TONES[status]}>{label(status)}</Badge>;
}
