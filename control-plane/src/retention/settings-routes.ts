import type { Clock } from '@voice/shared/clock/clock';
import { z } from 'zod';
import { NO_RETENTION } from '../identity/tenants/retention-settings.js';
import type { TenantsService } from '../identity/tenants/service.js';
import { type Route, reply, route } from '../platform/http/route.js';

const tag = 'Settings';

/** Ten years. */
const MOST_DAYS = 3650;
const days = z.number().int().min(1).max(MOST_DAYS).nullable();

const retention = z
  .object({
    recordings_days: days.describe('Days after which recordings are erased; null: never.'),
    transcripts_days: days.describe(
      'Days after which what was said is erased: transcript, tool inputs and outputs, decision log, what operators ' +
        'wrote. Summary, outcome and extracted data stay. Null: never.',
    ),
    calls_days: days.describe(
      'Days after which calls are erased as by `DELETE /api/v1/calls/{call_id}`; null: never.',
    ),
  })
  .meta({ id: 'RetentionSettings', description: 'Counted from the creation of each call, in both modes.' });

const settingsResponse = z
  .object({ retention: retention.describe('How long what a call leaves is kept.') })
  .meta({ id: 'SettingsResponse' });

const settingsUpdate = z
  .strictObject({
    retention: z
      .strictObject(retention.partial().shape)
      .optional()
      .describe('How long what a call leaves is kept; what is left out stays as it is.'),
  })
  .meta({ id: 'SettingsUpdate' });

export interface SettingsRoutesOptions {
  readonly tenants: TenantsService;
  readonly clock: Pick<Clock, 'now'>;
}

/** Declares the routes of what holds for a tenant as a whole. */
export function settingsRoutes({ tenants, clock }: SettingsRoutesOptions): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/settings',
      operationId: 'getSettings',
      tag,
      summary: 'Get the settings',
      auth: 'tenant',
      responses: { 200: { description: 'The settings.', schema: settingsResponse } },
      handler: async ({ tenant }) =>
        reply(200, { retention: (await tenants.find(tenant))?.retention ?? NO_RETENTION }),
    }),
    route({
      method: 'patch',
      path: '/api/v1/settings',
      operationId: 'updateSettings',
      tag,
      summary: 'Change the settings',
      description:
        'What is left out stays. What is over by the new settings is erased for good, from the next minute on.',
      auth: 'tenant_live',
      body: settingsUpdate,
      responses: { 200: { description: 'The settings after it.', schema: settingsResponse } },
      errors: ['live_mode_required'],
      handler: async ({ tenant, body }) => {
        const given = Object.fromEntries(
          Object.entries(body.retention ?? {}).filter(([, value]) => value !== undefined),
        );
        return reply(200, { retention: await tenants.changeRetention(tenant, given, clock.now()) });
      },
    }),
  ];
}
