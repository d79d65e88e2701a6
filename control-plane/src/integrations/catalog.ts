import { z } from 'zod';
import type { Action, Adapter } from './adapter.js';
import { airtable } from './adapters/airtable.js';
import { calCom } from './adapters/cal-com.js';
import { googleCalendar } from './adapters/google-calendar.js';
import { googleSheets } from './adapters/google-sheets.js';
import { hubspot } from './adapters/hubspot.js';
import { notion } from './adapters/notion.js';
import { salesforce } from './adapters/salesforce.js';
import { slack } from './adapters/slack.js';
import { make, zapier } from './adapters/webhook-triggers.js';

/** Every integration that there is. */
export const adapters: readonly Adapter[] = [
  slack,
  hubspot,
  salesforce,
  googleCalendar,
  googleSheets,
  airtable,
  notion,
  calCom,
  zapier,
  make,
];

export function findAdapter(slug: string): Adapter | undefined {
  return adapters.find((adapter) => adapter.slug === slug);
}

export function findAction(adapter: Adapter, name: string): Action | undefined {
  return adapter.actions.find((candidate) => candidate.name === name);
}

/** JSON Schema of an action's arguments, for models and for clients. */
export function parametersOf(action: Action): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(action.parameters, { io: 'input' });
  return schema;
}
