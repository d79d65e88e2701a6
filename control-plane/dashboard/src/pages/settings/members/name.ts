import { roleLabel } from '../../../api/roles.js';
import type { Member } from '../../../api/types.js';

/** What a member is called in the list: who signed in by the operator's link alone has no name yet. */
export const nameOf = ({ name, email, role }: Pick<Member, 'name' | 'email' | 'role'>): string =>
  name ?? email ?? roleLabel(role);
