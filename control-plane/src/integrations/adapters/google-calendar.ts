import { createHash } from 'node:crypto';
import { z } from 'zod';
import { VendorFailure } from '../../platform/vendor-http.js';
import { action, type OAuthAdapter, type VendorCall } from '../adapter.js';
import { freeSlots } from './free-slots.js';
import { google, googleOAuth } from './google.js';
import { zonedTime } from './zoned-time.js';

const dateTime = z.iso.datetime({ offset: true });

const calendarOf = ({ config }: VendorCall) =>
  typeof config.calendar_id === 'string' && config.calendar_id !== '' ? config.calendar_id : 'primary';

/** As the agent can say it, where the tenant has set the zone. */
const slotText = (at: number, { config }: VendorCall) =>
  typeof config.time_zone === 'string' ? zonedTime(at, config.time_zone) : new Date(at).toISOString();

/** https://developers.google.com/calendar/api/v3/reference */
export const googleCalendar: OAuthAdapter = {
  ...google,
  slug: 'google-calendar',
  name: 'Google Calendar',
  description: 'Finds free times and makes events.',
  configHint:
    '`calendar_id`: another calendar than the primary one; `time_zone` in which free times are given where it is not UTC.',
  oauth: googleOAuth([
    'https://www.googleapis.com/auth/calendar.events',
    'https://www.googleapis.com/auth/calendar.freebusy',
  ]),
  actions: [
    action({
      name: 'find_slots',
      description: 'Finds free times in the calendar.',
      parameters: z.object({
        from: dateTime.describe('Earliest beginning, ISO 8601 with offset.'),
        to: dateTime.describe('Latest end, ISO 8601 with offset.'),
        duration_minutes: z.number().int().min(5).max(480).default(30),
      }),
      repeatable: true,
      async run(call, { from, to, duration_minutes }) {
        const id = calendarOf(call);
        const { json } = await call.send({
          method: 'POST',
          url: call.at('www', '/calendar/v3/freeBusy'),
          json: { timeMin: from, timeMax: to, items: [{ id }] },
        });
        const busy = z.object({ start: dateTime, end: dateTime });
        const calendar = z
          .looseObject({
            calendars: z.record(z.string(), z.looseObject({ busy: z.array(busy).default([]) })),
          })
          .parse(json).calendars[id];
        if (!calendar) throw new VendorFailure('refused', `There is no calendar ${id}.`);
        const taken = calendar.busy.map((span) => ({
          start: Date.parse(span.start),
          end: Date.parse(span.end),
        }));
        const window = { start: Date.parse(from), end: Date.parse(to) };
        const slots = freeSlots(window, taken, duration_minutes * 60_000);
        return { slots: slots.map((at) => slotText(at, call)) };
      },
    }),
    action({
      name: 'create_event',
      description: 'Makes an event in the calendar.',
      parameters: z.object({
        summary: z.string().min(1).max(500),
        start: dateTime,
        end: dateTime,
        description: z.string().max(8000).optional(),
        attendee_email: z.email().max(320).optional(),
      }),
      repeatable: true,
      async run(call, { summary, start, end, description, attendee_email: email }) {
        // An event's id may be chosen, of base32hex digits: the same run cannot make a second event.
        const id = createHash('sha256').update(call.runId).digest('hex').slice(0, 40);
        const events = call.at(
          'www',
          `/calendar/v3/calendars/${encodeURIComponent(calendarOf(call))}/events`,
        );
        const event = {
          id,
          summary,
          start: { dateTime: start },
          end: { dateTime: end },
          description,
          ...(email === undefined ? {} : { attendees: [{ email }] }),
        };
        try {
          const { json } = await call.send({ method: 'POST', url: events, json: event });
          const made = z.looseObject({ id: z.string(), htmlLink: z.string().nullish() }).parse(json);
          return { event_id: made.id, link: made.htmlLink ?? null };
        } catch (error) {
          if (!(error instanceof VendorFailure) || !error.message.includes('status 409')) throw error;
          return { event_id: id, link: null };
        }
      },
    }),
  ],
};
