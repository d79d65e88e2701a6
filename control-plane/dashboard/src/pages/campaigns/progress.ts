import type { Campaign } from '../../api/types.js';

export interface Progress {
  readonly done: number;
  readonly total: number;
  /** 0 to 1. */
  readonly share: number;
}

/** Returns how far a campaign is: contacts for which nothing is still to be done. */
export function progressOf({
  contact_counts,
  total_contacts,
}: Pick<Campaign, 'contact_counts' | 'total_contacts'>): Progress {
  const open = contact_counts.pending + contact_counts.dialing + contact_counts.in_progress;
  const done = Math.max(0, total_contacts - open);
  return { done, total: total_contacts, share: total_contacts === 0 ? 0 : done / total_contacts };
}
