import { ServiceError } from '@voice/shared/errors/service-error';

/** What to do with a contact whose call was not created. */
export type AfterRefusal =
  /** This contact is never called by this campaign. */
  | { readonly kind: 'skip'; readonly reason: string }
  /** This contact may be called from then on. */
  | { readonly kind: 'later'; readonly reason: string; readonly notBefore: number }
  /** This contact leaves its line to others until then. */
  | { readonly kind: 'put_off'; readonly reason: string; readonly until: number }
  /** Nobody can be called now: the campaign itself waits. */
  | { readonly kind: 'campaign_waits'; readonly reason: string; readonly until: number }
  /** Whether the call exists is not known; creating it again shows it. */
  | { readonly kind: 'try_again' };

/** Failures of ours after which a contact leaves its line to others, for so long in ms; and after which it is given up. */
const FAILURES_IN_A_ROW = 5;
const PUT_OFF_MS = 10 * 60_000;
const MOST_FAILURES = 30;

/** How long a campaign waits before it looks whether what was in its way is gone, in ms. */
const CAMPAIGN_WAIT_MS = 15_000;
/** Room at the tenant's limit of calls comes back soon. */
const CAPACITY_WAIT_MS = 2000;
/** Delay where it is not known when hours open, in ms. */
const HOURS_WAIT_MS = 10 * 60_000;

/** Reasons of the gate that time or the tenant's own settings take away, and not the contact. */
const OUTSIDE_HOURS: ReadonlySet<string> = new Set(['outside_calling_hours']);
const OF_CAPACITY: ReadonlySet<string> = new Set(['concurrent_calls_limit']);
const OF_AGENT: ReadonlySet<string> = new Set([
  'disclosure_missing',
  'disclosure_names_no_ai',
  'no_calling_hours',
]);

/** What is about a contact alone: its number, or what it gives the agent to say. */
const OF_CONTACT: ReadonlySet<string> = new Set(['sandbox_number_required', 'validation_error']);

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

function whenOpen(value: unknown, now: number): number {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return at > now ? at : now + HOURS_WAIT_MS;
}

/** Returns what the refusal of a contact's call means for it. Pure. */
export function afterRefusal(error: unknown, now: number): AfterRefusal {
  if (!(error instanceof ServiceError)) return { kind: 'try_again' };
  // The carrier that the campaign needs is not configured, which nobody mends in a moment.
  const lasts = error.status < 500 || error.code === 'carrier_error';
  if (!lasts) return { kind: 'try_again' };
  if (OF_CONTACT.has(error.code)) return { kind: 'skip', reason: error.code };
  if (error.code !== 'compliance_denied') {
    return { kind: 'campaign_waits', reason: error.code, until: now + CAMPAIGN_WAIT_MS };
  }
  const reasons = texts(error.fields?.reasons);
  const lasting = reasons.find(
    (reason) => !OUTSIDE_HOURS.has(reason) && !OF_CAPACITY.has(reason) && !OF_AGENT.has(reason),
  );
  if (lasting !== undefined || reasons.length === 0) {
    return { kind: 'skip', reason: lasting ?? error.code };
  }
  const agent = reasons.find((reason) => OF_AGENT.has(reason));
  if (agent) return { kind: 'campaign_waits', reason: agent, until: now + CAMPAIGN_WAIT_MS };
  const hours = reasons.find((reason) => OUTSIDE_HOURS.has(reason));
  if (hours) {
    return { kind: 'later', reason: hours, notBefore: whenOpen(error.fields?.next_open_at, now) };
  }
  return { kind: 'campaign_waits', reason: reasons[0]!, until: now + CAPACITY_WAIT_MS };
}

/**
 * Returns what the `failures`-th failure of ours to make a contact's call means for it, when the call is known not to
 * exist. What fails again and again is about this contact, or about all of them: one alone must not hold a line for
 * ever, and an hour's fault must cost no contact its call. Pure.
 */
export function afterFailure(failures: number, now: number): AfterRefusal {
  const reason = 'internal_error';
  if (failures >= MOST_FAILURES) return { kind: 'skip', reason };
  if (failures % FAILURES_IN_A_ROW !== 0) return { kind: 'try_again' };
  return { kind: 'put_off', reason, until: now + PUT_OFF_MS };
}
