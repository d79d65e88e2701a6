import type { Clock } from '@voice/shared/clock/clock';
import type { CallDocument, CallModel } from '../../calls/record/model.js';
import { ConditionalUpdates } from '../../platform/store/conditional-updates.js';
import { ReadsByKey } from '../../platform/store/reads-by-key.js';
import { keyOf } from '../../platform/store/tenant-scope.js';
import { erasedWithLastCall } from '../contacts/erased-person.js';
import { CONTACT_RANK, type ContactDocument, type ContactModel } from '../contacts/model.js';
import type { CampaignDocument } from '../model.js';
import { afterCall, type TerminalCall, waitIfNotDialed } from '../retry-policy.js';

/** A contact that has a line but no call for so long lost its dispatcher, in ms. */
const ADOPT_AFTER_MS = 3000;

export interface LinesSeen {
  /** Contacts that still have a line. */
  readonly busy: number;
  /** Whether any of them has a call. */
  readonly dialed: boolean;
  /** Contacts with a line whose call nobody makes: to be dispatched again. */
  readonly orphans: readonly ContactDocument[];
}

/** What is read of a call. */
type SeenCall = Pick<CallDocument, 'status' | 'spool_due_at' | 'end_reason' | 'error_code'>;
type EndedCall = SeenCall & { readonly status: TerminalCall };

interface SettlingOptions {
  readonly contacts: ContactModel;
  readonly calls: CallModel;
  readonly clock: Clock;
}

/** Carries what became of calls over to their contacts. */
export class Settling {
  readonly #options: SettlingOptions;
  /** Of campaigns that are looked at together, what is asked for each is one query. */
  readonly #onLine: ReadsByKey<ContactDocument, 'campaign_id'>;
  readonly #calls: ReadsByKey<CallDocument, '_id', keyof SeenCall>;
  readonly #endings: ConditionalUpdates<ContactDocument>;

  constructor(options: SettlingOptions) {
    this.#options = options;
    this.#onLine = new ReadsByKey({ model: options.contacts, key: 'campaign_id', where: { on_line: true } });
    this.#calls = new ReadsByKey({
      model: options.calls,
      key: '_id',
      fields: ['status', 'spool_due_at', 'end_reason', 'error_code'],
    });
    this.#endings = new ConditionalUpdates(options.contacts);
  }

  /** Looks at every line in use. */
  async settle(campaign: CampaignDocument): Promise<LinesSeen> {
    const onLine = await this.#onLine.get(campaign.tenant_id, campaign._id);
    if (onLine.length === 0) return { busy: 0, dialed: false, orphans: [] };
    const ids = onLine.flatMap(({ call_id: id }) => id ?? []);
    const found = await Promise.all(ids.map((id) => this.#calls.get(campaign.tenant_id, id)));
    const calls = new Map(found.flat().map((call) => [call._id, call]));
    const adoptBefore = this.#options.clock.now() - ADOPT_AFTER_MS;
    const orphans: ContactDocument[] = [];
    let freed = 0;
    await Promise.all(
      onLine.map(async (contact) => {
        const call = contact.call_id === null ? undefined : calls.get(contact.call_id);
        if (!call) {
          if (contact.updated_at.getTime() <= adoptBefore) orphans.push(contact);
        } else if (call.status === 'QUEUED' || call.status === 'RINGING') {
          // Dialing, which is what the contact says already.
        } else if (call.status === 'IN_PROGRESS') {
          if (contact.status === 'dialing') await this.#answered(contact);
        } else if (!call.spool_due_at) {
          // (Of a call that its worker lost, the worker may yet say how it ended.)
          freed++;
          await this.#ended(campaign, contact, { ...call, status: call.status });
        }
      }),
    );
    return { busy: onLine.length - freed, dialed: calls.size > 0, orphans };
  }

  async #answered(contact: ContactDocument): Promise<void> {
    await this.#options.contacts.updateOne(
      { ...keyOf(contact), call_id: contact.call_id, on_line: true, status: 'dialing' },
      { $set: { status: 'in_progress', updated_at: new Date(this.#options.clock.now()) } },
    );
  }

  /** Its outcome and its event come with the publication of the call's end: `contact-publication.ts`. */
  async #ended(campaign: CampaignDocument, contact: ContactDocument, call: EndedCall): Promise<void> {
    const now = this.#options.clock.now();
    const waitMs = waitIfNotDialed(call);
    // The attempts stay as they are: the id of the next call comes of their number.
    const counted = waitMs === null ? {} : { not_dialed: (contact.not_dialed ?? 0) + 1 };
    const off = { ...counted, on_line: false, updated_at: new Date(now) };
    const next =
      waitMs === null
        ? this.#next(campaign, contact, call.status, now)
        : campaign.status === 'cancelled'
          ? ({ status: 'cancelled' } as const)
          : pendingFrom(now + waitMs);
    const line = { ...keyOf(contact), call_id: contact.call_id, on_line: true, claims: contact.claims };
    const isEnded = await this.#endings.make({
      filter: { ...line, status: { $in: ['dialing', 'in_progress'] } },
      update: { $set: { ...off, ...next, ...erasedWithLastCall(contact, next.status) } },
      // By whichever look: what it made of the contact is the same.
      applied: { ...keyOf(contact), call_id: contact.call_id, claims: contact.claims, on_line: false },
    });
    if (isEnded) return;
    // Rescheduled during the call: it stays pending for the moment that the tenant has named. Or cancelled since.
    const erased = erasedWithLastCall(contact, contact.status);
    await this.#options.contacts.updateOne(line, { $set: { ...off, ...erased } });
  }

  #next(
    campaign: CampaignDocument,
    contact: ContactDocument,
    status: TerminalCall,
    now: number,
  ): Partial<ContactDocument> & Pick<ContactDocument, 'status'> {
    const verdict = afterCall(status, contact.attempts - (contact.not_dialed ?? 0), campaign.retry_policy);
    if (verdict.kind === 'final' || campaign.status === 'cancelled') return { status: verdict.status };
    return pendingFrom(now + verdict.delayMs);
  }
}

/** Returns what a contact is that is to be called again from `ms` on, in epoch ms. */
function pendingFrom(ms: number) {
  const at = new Date(ms);
  return { status: 'pending', rank: CONTACT_RANK.again, due_at: at, next_retry_at: at } as const;
}
