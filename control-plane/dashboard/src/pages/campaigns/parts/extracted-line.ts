/** `day: Tuesday, guests: 2`: extracted data as a line; a dash without any. */
export function extractedLine(data: Readonly<Record<string, unknown>> | null): string {
  const parts = Object.entries(data ?? {})
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return parts.length === 0 ? '–' : parts.join(', ');
}
