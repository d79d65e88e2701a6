/** `NO_ANSWER` → `No answer`, `caller_hangup` → `Caller hangup`: a value of an enumeration as a label. */
export function label(value: string): string {
  const words = value.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `1 call`, `3 calls`, `1,204 calls`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? singular : plural}`;
}
