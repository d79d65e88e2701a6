/** Sent with every answer of the route, refusals too: `Deprecation` (RFC 9745) and `Link` (RFC 8288). */
export interface Deprecation {
  readonly since: Date;
  /** The path to use instead. */
  readonly successor: string;
}

/** Returns the headers that announce a deprecation. */
export function deprecationHeaders({ since, successor }: Deprecation): Record<string, string> {
  return {
    Deprecation: `@${Math.floor(since.getTime() / 1000)}`,
    Link: `<${successor}>; rel="successor-version"`,
  };
}
