import { testNumber } from '@voice/shared/contracts/test-numbers';
import type { CallModel } from '../../calls/record/model.js';
import type { ContactDocument, ContactModel } from '../contacts/model.js';

/** Live calls of one number that are read: its own is among them or others are. */
const MOST_READ = 10;

export interface NumberInUseOptions {
  readonly calls: CallModel;
  readonly contacts: ContactModel;
}

/**
 * Returns whether the contact's number has a live call of the tenant, out or in, or another contact with that number
 * has a line: nobody is called twice at a time, whichever campaigns list them. Ask when the contact is marked as on the
 * line: of two that are marked at once, each then sees the other, and at least one steps back. False where the
 * contact's own call is live already. A carrier test number stands for any number of people.
 */
export async function numberInUse(
  { calls, contacts }: NumberInUseOptions,
  contact: Pick<ContactDocument, '_id' | 'tenant_id' | 'phone' | 'call_id'>,
): Promise<boolean> {
  const { _id, tenant_id, phone, call_id: callId } = contact;
  if (testNumber(phone)) return false;
  const [found, onLine] = await Promise.all([
    Promise.all(
      liveCallFilters(tenant_id, phone).map((filter) =>
        calls.find(filter, { _id: 1 }).limit(MOST_READ).lean<{ _id: string }[]>(),
      ),
    ),
    contacts.exists({ tenant_id, phone, on_line: true, _id: { $ne: _id } }),
  ]);
  const live = found.flat();
  if (live.some((call) => call._id === callId)) return false;
  return live.length > 0 || onLine !== null;
}

/** Live calls to a number, and from it: each by an index of its own, in which no ended call is. */
export function liveCallFilters(tenant: string, phone: string) {
  const own = { tenant_id: tenant, ended_at: null };
  return [
    { ...own, to_number: phone },
    { ...own, from_number: phone, direction: 'inbound' as const },
  ];
}
