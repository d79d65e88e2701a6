import type { Query, QueryClient } from '@tanstack/react-query';

export const SESSION_KEY = ['session'] as const;

const isOfTenant = ({ queryKey }: Query): boolean => queryKey[0] !== SESSION_KEY[0];

/** Asks anew who is signed in, and forgets all that was kept for who was before: it may be another tenant's. */
export async function renewSession(client: QueryClient): Promise<void> {
  // It is pending from here on, and no page is left that would ask again for what is forgotten.
  const renewed = client.resetQueries({ queryKey: SESSION_KEY });
  client.removeQueries({ predicate: isOfTenant });
  client.getMutationCache().clear();
  await renewed;
}
