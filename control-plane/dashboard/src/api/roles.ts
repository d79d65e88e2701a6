import type { components, operations } from './openapi.js';

export type Role = components['schemas']['MemberResponse']['role'];
/** An operation of the API, as its description names it. */
export type Operation = keyof operations;

/** What each role may do, in words; the least first. */
export const ROLES: readonly { readonly role: Role; readonly label: string; readonly may: string }[] = [
  { role: 'viewer', label: 'Viewer', may: 'Reads everything.' },
  { role: 'operator', label: 'Operator', may: 'Also runs calls, campaigns and the do-not-call list.' },
  {
    role: 'developer',
    label: 'Developer',
    may: 'Also agents, numbers, webhooks, integrations and API keys.',
  },
  { role: 'owner', label: 'Owner', may: 'Also members, settings and billing.' },
];

export const roleLabel = (role: Role): string => ROLES.find((known) => known.role === role)?.label ?? role;

const rank = (role: Role): number => ROLES.findIndex((known) => known.role === role);

/** Who asks, and which role each operation needs at least, as the session says it. */
export interface Standing {
  readonly role: Role;
  readonly least_roles: Readonly<Partial<Record<string, Role>>>;
}

/** Says why somebody may not do something; null where they may. What the service does not know is an owner's. Pure. */
export function refusalOf({ role, least_roles }: Standing, operation: string): string | null {
  const least = least_roles[operation] ?? 'owner';
  if (rank(role) >= rank(least)) return null;
  const needed =
    least === 'owner'
      ? 'This needs the role Owner'
      : `This needs the role ${roleLabel(least)} or a higher one`;
  return `${needed}; yours is ${roleLabel(role)}. Ask an owner to change it.`;
}
