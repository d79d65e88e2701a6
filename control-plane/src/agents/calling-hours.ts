import { z } from 'zod';

const clockTime = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'must be a time of day such as 08:00');

/** From `start` until before `end`, in local time; null for a day without calls. */
const day = z
  .object({ start: clockTime, end: clockTime })
  .refine(({ start, end }) => start < end, { error: 'start must be before end', path: ['end'] })
  .meta({ title: 'DayHours' })
  .nullable()
  .default({ start: '08:00', end: '21:00' });

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** When an agent may call, by weekday. */
export const callingHours = z
  .object({
    timezone: z
      .string()
      .max(64)
      .refine(isTimeZone, 'must be an IANA time zone such as America/New_York')
      .nullable()
      .default(null)
      .describe("Whose clock counts; null for the callee's."),
    monday: day,
    tuesday: day,
    wednesday: day,
    thursday: day,
    friday: day,
    saturday: day,
    sunday: day,
  })
  .meta({ title: 'CallingHours' });
export type CallingHours = z.output<typeof callingHours>;
