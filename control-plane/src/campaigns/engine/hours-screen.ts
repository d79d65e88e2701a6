import { testNumber } from '@voice/shared/contracts/test-numbers';
import { ServiceError } from '@voice/shared/errors/service-error';
import { asTenantId } from '@voice/shared/ids/ids';
import type { CallingHours } from '../../agents/calling-hours.js';
import type { CallingWindow } from '../../compliance/calling-window.js';
import { CONTACT_RANK, type ContactDocument, type ContactModel, contactsOf } from '../contacts/model.js';
import type { CampaignDocument, CampaignModel } from '../model.js';
import type { CampaignAgents } from '../service.js';

/** When the owner of a number may be called; `now` is epoch ms. */
type WindowOf = (hours: CallingHours, phone: string, now: number) => CallingWindow;

/** Those of the contacts that may be called now; the others are put off. */
export type Admit = (contacts: readonly ContactDocument[]) => Promise<readonly ContactDocument[]>;

/** In place of the hours by which a contact was put off, where they are not known. */
export const PUT_OFF_BY_GATE = 'gate';

interface HoursScreenOptions {
  readonly campaigns: CampaignModel;
  readonly contacts: ContactModel;
  readonly agents: CampaignAgents;
  readonly windowOf: WindowOf;
}

/**
 * Puts off contacts whose hours are closed before they take a slot or a line. It spares work and admits
 * nobody: a call's own check by the gate decides.
 */
export class HoursScreen {
  readonly #options: HoursScreenOptions;

  constructor(options: HoursScreenOptions) {
    this.#options = options;
  }

  /** Judges by the agent's hours as they are; a contact that was put off by other ones is due again. */
  async begin(campaign: CampaignDocument, now: number): Promise<Admit> {
    const hours = await this.#hoursOf(campaign);
    if (hours === null) return async (contacts) => contacts;
    const text = JSON.stringify(hours);
    if (campaign.put_off_by && campaign.put_off_by !== text) await this.#revive(campaign, now);
    return async (contacts) => {
      const open: ContactDocument[] = [];
      const closed = new Map<number, string[]>();
      for (const contact of contacts) {
        // Where no hour would let them be called, their refusal is not to wait.
        const opensAt = neverCalled(campaign, contact)
          ? null
          : this.#options.windowOf(hours, contact.phone, now).nextOpenAt;
        if (opensAt === null) open.push(contact);
        else closed.set(opensAt, [...(closed.get(opensAt) ?? []), contact._id]);
      }
      if (closed.size > 0) {
        await this.#options.campaigns.updateOne(
          { _id: campaign._id, put_off_by: { $ne: text } },
          { $set: { put_off_by: text } },
        );
      }
      await Promise.all(
        [...closed].map(([opensAt, ids]) => this.#putOff(campaign, ids, new Date(opensAt), now)),
      );
      return open;
    };
  }

  async #revive(campaign: CampaignDocument, now: number): Promise<void> {
    const { _id, put_off_by } = campaign;
    const at = new Date(now);
    await this.#options.contacts.updateMany(
      { ...contactsOf(campaign), status: 'pending', waits_for_hours: true },
      { $set: { waits_for_hours: false, due_at: at, next_retry_at: null, updated_at: at } },
    );
    await this.#options.campaigns.updateOne({ _id, put_off_by }, { $set: { put_off_by: null } });
  }

  async #putOff(
    { tenant_id }: CampaignDocument,
    ids: readonly string[],
    at: Date,
    now: number,
  ): Promise<void> {
    await this.#options.contacts.updateMany(
      // Rescheduled meanwhile: what the tenant said of it stands.
      { _id: { $in: ids }, tenant_id, status: 'pending', on_line: false, due_at: { $lte: new Date(now) } },
      { $set: { ...putOffUntil(at), updated_at: new Date(now) } },
    );
  }

  /** Null where the agent is gone. */
  async #hoursOf({ tenant_id: tenant, agent_id: agentId }: CampaignDocument): Promise<CallingHours | null> {
    try {
      return (await this.#options.agents.snapshot(asTenantId(tenant), agentId)).callingHours;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'agent_not_found') return null;
      throw error;
    }
  }
}

/** Returns what a contact is while its hours are closed. */
export function putOffUntil(at: Date) {
  return { rank: CONTACT_RANK.again, due_at: at, next_retry_at: at, waits_for_hours: true };
}

/** The sandbox calls test numbers only, whatever the hour. */
function neverCalled({ sandbox }: CampaignDocument, { phone }: ContactDocument): boolean {
  return sandbox && !testNumber(phone);
}
