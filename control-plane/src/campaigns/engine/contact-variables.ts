import type { Variables } from '../../calls/plan/variables.js';
import type { ContactDocument } from '../contacts/model.js';

/** What the agent may say of a contact: its columns and names, each as a variable. */
export function variablesOf(
  contact: Pick<ContactDocument, 'phone' | 'first_name' | 'last_name' | 'contact_data'>,
): Variables {
  const data = JSON.parse(contact.contact_data) as Record<string, unknown>;
  const variables: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(data)) {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
    const variable = name
      .trim()
      .replace(/\W+/g, '_')
      .replace(/^(?=\d)/, '_');
    if (variable !== '') variables[variable] = value;
  }
  return {
    ...variables,
    phone: contact.phone,
    first_name: contact.first_name ?? '',
    last_name: contact.last_name ?? '',
  };
}
