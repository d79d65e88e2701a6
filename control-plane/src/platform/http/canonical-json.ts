/**
 * Returns one text for all ways to write the same JSON value: members sorted by name, no white space, numbers and
 * escapes in their shortest form (RFC 8785). For what `JSON.parse` gave; recursion is as deep as the value.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}
