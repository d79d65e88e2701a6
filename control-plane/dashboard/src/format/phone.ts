/**
 * Reads a number as people write it (spaces, dots, dashes, brackets, 00 for the plus) in E.164; null where it is none
 * or lacks its country.
 */
export function phoneOf(written: string): string | null {
  const bare = written.trim().replaceAll(/[\s().\-/]/g, '');
  const number = bare.startsWith('00') ? `+${bare.slice(2)}` : bare;
  return /^\+[1-9]\d{6,14}$/.test(number) ? number : null;
}

/** What is said where `phoneOf` finds none. */
export const PHONE_HINT = 'Write the number with its country, as +1 500 555 0006.';
