import type { Clock } from '@voice/shared/clock/clock';
import { testNumber } from '@voice/shared/contracts/test-numbers';
import { ServiceError } from '@voice/shared/errors/service-error';
import { asTenantId } from '@voice/shared/ids/ids';
import type { CallingHours } from '../../agents/calling-hours.js';
import type { CallingWindow } from '../../compliance/calling-window.js';
import { CONTACT_RANK, type ContactDocument, type ContactModel } from '../contacts/model.js';
import type { CampaignDocument } from '../model.js';
import type { CampaignAgents } from '../service.js';

/** When the owner of a number may be called; `now` is epoch ms. */
export type WindowOf = (hours: CallingHours, phone: string, now: number) => CallingWindow;

/** For how long an agent's hours are taken for what they were, in ms. The gate judges every call by the real ones. */
const HOURS_LIFE_MS = 1000;

/**
 * Puts off contacts whose hours are closed before they take a slot or a line. It spares work and admits
 * nobody: a call's own check by the gate decides.
 */
export class HoursScreen {
  readonly #contacts: ContactModel;
  readonly #agents: CampaignAgents;
  readonly #windowOf: WindowOf;
  readonly #clock: Clock;
  readonly #hours = new Map<string, { readonly hours: CallingHours | null; readonly until: number }>();

  constructor(options: {
    readonly contacts: ContactModel;
    readonly agents: CampaignAgents;
    readonly windowOf: WindowOf;
    readonly clock: Clock;
  }) {
    this.#contacts = options.contacts;
    this.#agents = options.agents;
    this.#windowOf = options.windowOf;
    this.#clock = options.clock;
  }

  /**
   * Those that may be called now. The others are due when their hours open next; where no hour would let
   * them be called, their refusal is not to wait.
   */
  async admit(
    campaign: CampaignDocument,
    contacts: readonly ContactDocument[],
    now: number,
  ): Promise<ContactDocument[]> {
    const hours = contacts.length === 0 ? null : await this.#hoursOf(campaign);
    if (hours === null) return [...contacts];
    const open: ContactDocument[] = [];
    const closed = new Map<number, string[]>();
    for (const contact of contacts) {
      const opensAt = neverCalled(campaign, contact)
        ? null
        : this.#windowOf(hours, contact.phone, now).nextOpenAt;
      if (opensAt === null) open.push(contact);
      else closed.set(opensAt, [...(closed.get(opensAt) ?? []), contact._id]);
    }
    await Promise.all([...closed].map(([opensAt, ids]) => this.#putOff(ids, new Date(opensAt), now)));
    return open;
  }

  async #putOff(ids: readonly string[], at: Date, now: number): Promise<void> {
    await this.#contacts.updateMany(
      // Rescheduled meanwhile: what the tenant said of it stands.
      { _id: { $in: ids }, status: 'pending', on_line: false, due_at: { $lte: new Date(now) } },
      { $set: { rank: CONTACT_RANK.again, due_at: at, next_retry_at: at, updated_at: new Date(now) } },
    );
  }

  /** Null where the agent is gone. */
  async #hoursOf({ tenant_id: tenantId, agent_id: agentId }: CampaignDocument): Promise<CallingHours | null> {
    const now = this.#clock.now();
    const key = `${tenantId}/${agentId}`;
    const known = this.#hours.get(key);
    if (known && known.until > now) return known.hours;
    const hours = await this.#agents.snapshot(asTenantId(tenantId), agentId).then(
      ({ callingHours }) => callingHours,
      (error: unknown) => {
        if (error instanceof ServiceError && error.code === 'agent_not_found') return null;
        throw error;
      },
    );
    for (const [other, { until }] of this.#hours) if (until <= now) this.#hours.delete(other);
    this.#hours.set(key, { hours, until: now + HOURS_LIFE_MS });
    return hours;
  }
}

/** The sandbox calls test numbers only, whatever the hour. */
function neverCalled({ sandbox }: CampaignDocument, { phone }: ContactDocument): boolean {
  return sandbox && !testNumber(phone);
}
