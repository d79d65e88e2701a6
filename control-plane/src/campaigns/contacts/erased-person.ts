import { OPEN_CONTACT_STATUSES } from '../campaign-state.js';
import type { ContactDocument } from './model.js';

/** Of a contact that is erased. */
export const NO_PHONE = '';

/** What a contact is in place of a person once it is erased. */
export const ERASED_PERSON = {
  phone: NO_PHONE,
  first_name: null,
  last_name: null,
  contact_data: '{}',
} as const satisfies Partial<ContactDocument>;

/**
 * Returns what else a contact becomes with this status: erased, where its last call was erased before and no other
 * follows. As far as it was read: a call that is erased meanwhile is erased once more in a minute, the contact with it.
 * Pure.
 */
export function erasedWithLastCall(
  { call_id, erased_calls = [] }: Pick<ContactDocument, 'call_id' | 'erased_calls'>,
  status: ContactDocument['status'],
): Partial<ContactDocument> {
  const isOpen = OPEN_CONTACT_STATUSES.some((open) => open === status);
  return !isOpen && call_id !== null && erased_calls.includes(call_id) ? ERASED_PERSON : {};
}
