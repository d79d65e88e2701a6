/** Returns the address at which a token signs in: of a login link, or of an invitation. */
export function loginUrl(publicUrl: string, token: string, page: 'dashboard' | 'talk' = 'dashboard'): string {
  // The token is a fragment: it reaches neither servers' logs nor programs that preview links.
  return `${publicUrl}/${page}#token=${token}`;
}
