/** Writes the text message that carries a code. */
export function writtenCode(code: string): string {
  return `Your verification code is ${code}. It is good for 10 minutes.`;
}

/** Writes what a call says that carries a code: the digits one by one, twice. */
export function spokenCode(code: string): string {
  const digits = [...code].join(', ');
  return `Your verification code is: ${digits}. Once more: ${digits}. Goodbye.`;
}
