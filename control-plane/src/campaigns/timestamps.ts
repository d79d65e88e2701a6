import { z } from 'zod';

/** A time as responses show it. */
export const timestamp = z.iso.datetime();

/** A time as requests give it: any offset is understood. */
export const timestampInput = z.iso.datetime({
  offset: true,
  error: 'must be a date and time with its offset (RFC 3339), such as 2030-01-15T16:00:00Z',
});
