/** A campaign's states (api-decisions: "Campaign status"). Completed and cancelled are terminal for transitions. */
export const CAMPAIGN_STATUSES = [
  'draft',
  'scheduled',
  'running',
  'paused',
  'completed',
  'cancelled',
] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

/** What a tenant may ask of a campaign. */
export type Transition = 'start' | 'pause' | 'cancel';

/**
 * Returns where a transition leads; null when it is not allowed from here. A draft whose start lies in the future waits
 * for it; one that is scheduled or paused already starts at once.
 */
export function nextStatus(
  from: CampaignStatus,
  transition: Transition,
  startsLater: boolean,
): CampaignStatus | null {
  switch (transition) {
    case 'start':
      if (from === 'draft') return startsLater ? 'scheduled' : 'running';
      return from === 'scheduled' || from === 'paused' ? 'running' : null;
    case 'pause':
      return from === 'running' ? 'paused' : null;
    case 'cancel':
      return from === 'completed' || from === 'cancelled' ? null : 'cancelled';
  }
}

export const CONTACT_STATUSES = [
  'pending',
  'dialing',
  'in_progress',
  'completed',
  'failed',
  'busy',
  'no_answer',
  'voicemail',
  'skipped',
  'cancelled',
] as const;
export type ContactStatus = (typeof CONTACT_STATUSES)[number];

/** Contacts for which something is still to be done. */
export const OPEN_CONTACT_STATUSES = [
  'pending',
  'dialing',
  'in_progress',
] as const satisfies readonly ContactStatus[];
