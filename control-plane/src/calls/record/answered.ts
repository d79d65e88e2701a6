import type { CallDocument } from './model.js';

/** What "answered" means wherever calls are counted: in the overview, in usage and in a campaign's analytics. */
export const ANSWERED_MEANING =
  'Answered: the call was connected (it reached IN_PROGRESS) and did not turn out to be a voicemail (VOICEMAIL). ' +
  'The same in overview, usage and campaign analytics.';

/** Returns whether a call counts as answered; see `ANSWERED_MEANING`. Pure. */
export function isAnswered(call: Pick<CallDocument, 'status' | 'started_at'>): boolean {
  return call.started_at !== null && call.status !== 'VOICEMAIL';
}
