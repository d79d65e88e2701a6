import type { TemplateTool } from './tool.js';

type IntegrationTool = Extract<TemplateTool, { type: 'integration' }>;

/** One integration by which an agent gets a capability. */
export interface Way {
  /** The integration's slug. */
  readonly integration: string;
  /** What the tenant must have set in the integration's config for it to work. */
  readonly needs: readonly string[];
  readonly tools: readonly IntegrationTool[];
  /** How the agent is to use them, for its prompt. */
  readonly rule: string;
}

/** Something that a cloned agent can do when the tenant has connected an integration for it. */
export interface Capability {
  /** In a few words, for people. */
  readonly purpose: string;
  /** The first that is connected is used. */
  readonly ways: readonly Way[];
}

const tool = (name: string, integration: string, action: string, description: string): IntegrationTool => ({
  type: 'integration',
  name,
  integration,
  action,
  description,
});

const OFFER =
  'Ask for a day first, look for its free times with find_free_times, and offer two of them at a time. They count, ' +
  'whatever times are named above.';
const CONFIRM =
  'Say that it is booked only when book_time has succeeded; when the time is gone, offer another.';

/**
 * @param what as in "the interview of 45 minutes"
 * @param caution what the booking must or must not say
 */
export const bookTimes = (what: string, caution = ''): Capability => ({
  purpose: `Finds free times for ${what} and books them.`,
  ways: [
    {
      integration: 'google-calendar',
      needs: [],
      tools: [
        tool(
          'find_free_times',
          'google-calendar',
          'find_slots',
          `Finds free times for ${what}. Look within working hours only.`,
        ),
        tool(
          'book_time',
          'google-calendar',
          'create_event',
          `Books ${what} at a time that find_free_times has named and the person has chosen. ${caution}`.trim(),
        ),
      ],
      rule: `${OFFER} ${CONFIRM}`,
    },
    {
      integration: 'cal-com',
      needs: ['event_type_id'],
      tools: [
        tool('find_free_times', 'cal-com', 'list_slots', `Lists the times at which ${what} can be booked.`),
        tool(
          'book_time',
          'cal-com',
          'book',
          `Books ${what} at a time that find_free_times has named and the person has chosen.`,
        ),
      ],
      rule: `${OFFER} Before you book, ask for name and email address and read the address back. ${CONFIRM}`,
    },
  ],
});

const sheet = (what: string, cells: string): Way => ({
  integration: 'google-sheets',
  needs: ['spreadsheet_id'],
  tools: [
    tool(
      'save_row',
      'google-sheets',
      'append_row',
      `Writes ${what} down as a row: ${cells}. A cell that is not known is an empty text.`,
    ),
  ],
  rule: `Before you say goodbye, write ${what} down with save_row, once.`,
});

const page = (what: string, contents: string): Way => ({
  integration: 'notion',
  needs: ['database_id'],
  tools: [
    tool(
      'save_page',
      'notion',
      'create_page',
      `Writes ${what} down as a page; its text has a line for each of: ${contents}.`,
    ),
  ],
  rule: `Before you say goodbye, write ${what} down with save_page, once.`,
});

/** Keeps whom the agent spoke to where sales people look. */
export const keepLead = (): Capability => ({
  purpose: 'Keeps the lead in your CRM or list.',
  ways: [
    {
      integration: 'hubspot',
      needs: [],
      tools: [
        tool(
          'save_contact',
          'hubspot',
          'upsert_contact',
          'Keeps the person as a contact. Use it as soon as the email address was read back and confirmed.',
        ),
        tool(
          'save_note',
          'hubspot',
          'create_note',
          'Writes on the contact what was said: needs, time frame, budget, and what comes next.',
        ),
      ],
      rule:
        'Ask for the email address if nobody has told it. Before you say goodbye, keep the person with save_contact ' +
        'and then what you learned with save_note, once each.',
    },
    {
      integration: 'salesforce',
      needs: [],
      tools: [
        tool(
          'save_lead',
          'salesforce',
          'create_lead',
          'Keeps the person as a lead; the description holds needs, time frame, budget and what comes next.',
        ),
      ],
      rule: 'Before you say goodbye, keep the person with save_lead, once.',
    },
    sheet('the lead', 'name, phone number, email address, needs, what comes next'),
    page('the lead', 'name, phone number, email address, needs, what comes next'),
  ],
});

/**
 * @param what as in "the claim"
 * @param contents as in "name, number"
 */
export const writeDown = (what: string, contents: string): Capability => ({
  purpose: `Writes ${what} down where your team looks.`,
  ways: [sheet(what, contents), page(what, contents)],
});

/** @param reservation as in "the table", with how long it is kept */
export const writeReservation = (reservation: string, contents: string): Capability => ({
  purpose: `Writes ${reservation} into your calendar or list.`,
  ways: [
    {
      integration: 'google-calendar',
      needs: [],
      tools: [
        tool(
          'write_reservation',
          'google-calendar',
          'create_event',
          `Writes ${reservation} into the calendar, as an event of two hours; its summary and description tell ${contents}.`,
        ),
      ],
      rule: 'When the guest has confirmed, write the reservation down with write_reservation, once, before you say that it is made.',
    },
    ...writeDown('the reservation', contents).ways,
  ],
});

/** @param when as in "when the order is missing" */
export const notifyTeam = (when: string): Capability => ({
  purpose: `Tells your team ${when}.`,
  ways: [
    {
      integration: 'slack',
      needs: ['channel'],
      tools: [
        tool(
          'tell_team',
          'slack',
          'post_message',
          `Tells the team. Use it ${when}: who called, the number for a call back, and what is to be done.`,
        ),
      ],
      rule: `Use tell_team ${when}, once, and say that a colleague will see to it.`,
    },
    ...['zapier', 'make'].map(
      (integration): Way => ({
        integration,
        needs: [],
        tools: [
          tool(
            'tell_team',
            integration,
            'trigger',
            `Tells the team. Use it ${when}; data has the fields name, phone, request and urgency.`,
          ),
        ],
        rule: `Use tell_team ${when}, once, and say that a colleague will see to it.`,
      }),
    ),
  ],
});
