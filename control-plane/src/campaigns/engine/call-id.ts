import { derivedId } from '@voice/shared/ids/ids';

/** Returns the id of the call of a contact's attempt, the first of which is 1. */
export const callIdOf = (contactId: string, attempt: number): string =>
  derivedId(contactId, `attempt:${attempt}`);
