import { z } from 'zod';

/** No value of any format is longer, in characters. */
const LONGEST = 2048;

/** Formats that values are held against; any other is a hint to readers of the schema. */
const FORMATS: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  ['date', z.iso.date()],
  ['date-time', z.iso.datetime({ offset: true })],
  ['time', z.iso.time()],
  ['duration', z.iso.duration()],
  ['email', z.email()],
  ['uri', z.url()],
  ['uuid', z.guid()],
  ['ipv4', z.ipv4()],
  ['ipv6', z.ipv6()],
]);

export const CHECKED_FORMATS: readonly string[] = [...FORMATS.keys()];

/** Returns whether the text is of the format; true for a format that is not checked. */
export function checkFormat(format: string, text: string): boolean {
  const schema = FORMATS.get(format);
  return !schema || (text.length <= LONGEST && schema.safeParse(text).success);
}
