import { z } from 'zod';
import { action, type KeyAdapter } from '../adapter.js';
import { configured } from './configured.js';

/** Each endpoint has a version of its own (https://cal.com/docs/api-reference/v2). */
const SLOTS_VERSION = { 'cal-api-version': '2024-09-04' };
const BOOKINGS_VERSION = { 'cal-api-version': '2024-08-13' };

export const calCom: KeyAdapter = {
  kind: 'api_key',
  slug: 'cal-com',
  name: 'Cal.com',
  description: 'Lists free slots of an event type and books them.',
  vendor: 'cal_com',
  hosts: { api: 'https://api.cal.com' },
  configHint: '`event_type_id`: what is booked; `time_zone` of the attendee where it is not UTC.',
  fields: z.object({ api_key: z.string().trim().min(1).max(500).describe('API key (cal_…).') }),
  headers: ({ api_key }) => ({ authorization: `Bearer ${api_key}` }),
  async check(call) {
    const { json } = await call.send({ method: 'GET', url: call.at('api', '/v2/me') });
    const me = z.looseObject({ data: z.looseObject({ email: z.string().nullish() }) }).parse(json);
    return { account: me.data.email ?? null };
  },
  actions: [
    action({
      name: 'list_slots',
      description: 'Lists times that can be booked.',
      parameters: z.object({
        from: z.iso.date().describe('First day, YYYY-MM-DD.'),
        to: z.iso.date().describe('Last day, YYYY-MM-DD.'),
      }),
      repeatable: true,
      async run(call, { from, to }) {
        const { json } = await call.send({
          method: 'GET',
          url: call.at('api', '/v2/slots'),
          query: { eventTypeId: configured(call, 'event_type_id'), start: from, end: to },
          headers: SLOTS_VERSION,
        });
        const days = z.record(z.string(), z.array(z.looseObject({ start: z.string() })));
        const { data } = z.looseObject({ data: days }).parse(json);
        // More would not be read out on the phone.
        return {
          slots: Object.values(data)
            .flatMap((slots) => slots.map(({ start }) => start))
            .slice(0, 20),
        };
      },
    }),
    action({
      name: 'book',
      description: 'Books a time that list_slots has named.',
      parameters: z.object({
        start: z.iso.datetime({ offset: true }),
        name: z.string().min(1).max(200),
        email: z.email().max(320),
      }),
      // A slot is taken only once: repeating it is refused by the vendor.
      repeatable: false,
      async run(call, { start, name, email }) {
        const timeZone = typeof call.config.time_zone === 'string' ? call.config.time_zone : 'UTC';
        const { json } = await call.send({
          method: 'POST',
          url: call.at('api', '/v2/bookings'),
          headers: BOOKINGS_VERSION,
          json: {
            start: new Date(start).toISOString(),
            eventTypeId: Number(configured(call, 'event_type_id')),
            attendee: { name, email, timeZone },
          },
        });
        const { data } = z.looseObject({ data: z.looseObject({ uid: z.string() }) }).parse(json);
        return { booking_id: data.uid };
      },
    }),
  ],
};
