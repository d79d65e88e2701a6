import { uuid } from '@voice/shared/contracts/primitives';
import { Schema, type SchemaDefinitionProperty } from 'mongoose';
import { z } from 'zod';
import { extractionSchemaInput } from '../agents/extraction-schema.js';
import type { RetryPolicy } from './retry-policy.js';
import { timestamp, timestampInput } from './timestamps.js';

export const campaignName = z.string().trim().min(1).max(255);
export const outcomeLabels = z
  .array(z.string().trim().min(1).max(100))
  .max(50)
  .refine((labels) => new Set(labels).size === labels.length, 'labels must differ')
  .describe('What a call may end as. The first is the primary outcome: the one that the campaign is for.');
export const successCriteria = z
  .string()
  .trim()
  .max(4000)
  .nullable()
  .describe('In words: when a call has reached its goal.');
const delay = (seconds: number) => z.number().int().min(1).max(604_800).default(seconds);
const retryPolicy = z
  .strictObject({
    max_attempts: z
      .number()
      .int()
      .min(1)
      .max(10)
      .default(3)
      .describe(
        'Calls per contact, the first included; those that end before anything is dialed do not count.',
      ),
    busy_delay_seconds: delay(300),
    no_answer_delay_seconds: delay(3600),
    failed_delay_seconds: delay(900),
  })
  .meta({ title: 'RetryPolicy' })
  .describe('Busy, no answer and failure are tried again after these delays, then final.');

/** The forms of one setting: in requests, in the store, in responses. */
interface Setting<Request extends z.ZodType, Stored, Shown, Response extends z.ZodType<Shown>> {
  readonly request: Request;
  /** As mongoose declares it. */
  readonly column: object;
  readonly response: Response;
  toStored(requested: z.output<Request>): Stored;
  toShown(stored: Stored): Shown;
}

/** Declares a setting that is stored and shown as it was requested. */
function setting<Request extends z.ZodType, Response extends z.ZodType<z.output<Request>>>(
  forms: Pick<Setting<Request, unknown, z.output<Request>, Response>, 'request' | 'column' | 'response'>,
): Setting<Request, z.output<Request>, z.output<Request>, Response> {
  return { ...forms, toStored: (value) => value, toShown: (value) => value };
}

/** Declares a setting that has another form in the store. */
function convertedSetting<Request extends z.ZodType, Stored, Shown, Response extends z.ZodType<Shown>>(
  forms: Setting<Request, Stored, Shown, Response>,
): Setting<Request, Stored, Shown, Response> {
  return forms;
}

const text = { type: String, required: true };
const nullableText = { type: String, default: null };
const number = { type: Number, required: true };

/**
 * What a tenant chooses for a campaign. An entry here is a field of requests, of the stored campaign and of responses;
 * all of them read this table.
 */
const SETTINGS = {
  name: setting({ request: campaignName, column: text, response: z.string() }),
  agent_id: setting({ request: uuid, column: text, response: uuid }),
  /** The phone number to call from; null for the tenant's default. */
  caller_id: convertedSetting({
    request: uuid
      .nullish()
      .describe(
        "A phone number's id. Without one: the number of the agent, or the tenant's first verified one.",
      ),
    column: nullableText,
    response: uuid.nullable(),
    toStored: (id): string | null => id ?? null,
    toShown: (id) => id,
  }),
  outcome_labels: setting({
    request: outcomeLabels.default([]),
    column: { type: [String], required: true },
    response: z.array(z.string()),
  }),
  success_criteria: setting({
    request: successCriteria.default(null),
    column: nullableText,
    response: z.string().nullable(),
  }),
  /** JSON text: no operator, dollar or dot in it has a meaning for the database. */
  extraction_schema: convertedSetting({
    request: extractionSchemaInput.default(null),
    column: nullableText,
    response: z.record(z.string(), z.unknown()).nullable(),
    toStored: (schema): string | null => (schema === null ? null : JSON.stringify(schema)),
    toShown: (json) => (json === null ? null : (JSON.parse(json) as Record<string, unknown>)),
  }),
  max_concurrent: setting({
    request: z
      .number()
      .int()
      .min(1)
      .max(1000)
      .describe('Calls at the same time, at most; never exceeded.')
      .default(5),
    column: number,
    response: z.number().int(),
  }),
  calls_per_minute: setting({
    request: z
      .number()
      .int()
      .min(1)
      .max(6000)
      .describe(
        'Calls begun a minute, on average. What an interruption cost is made up for at 120 % of it, as far back ' +
          'as a minute. Contacts whose calling hours are closed do not count.',
      )
      .default(10),
    column: number,
    response: z.number().int(),
  }),
  scheduled_start: convertedSetting({
    request: timestampInput
      .nullable()
      .default(null)
      .describe('A start before this moment schedules the campaign.'),
    column: { type: Date, default: null },
    response: timestamp.nullable(),
    toStored: (at): Date | null => (at === null ? null : new Date(at)),
    toShown: (at) => at?.toISOString() ?? null,
  }),
  retry_policy: setting({
    request: retryPolicy.prefault({}),
    column: {
      type: new Schema<RetryPolicy>(
        {
          max_attempts: Number,
          busy_delay_seconds: Number,
          no_answer_delay_seconds: Number,
          failed_delay_seconds: Number,
        },
        { _id: false },
      ),
      required: true,
    },
    response: retryPolicy,
  }),
};

type Settings = typeof SETTINGS;
type Name = keyof Settings;

/** Any setting, whatever its forms. */
type AnySetting = Setting<z.ZodType, unknown, unknown, z.ZodType>;
const names = Object.keys(SETTINGS) as Name[];
const formsOf = (name: Name): AnySetting => SETTINGS[name] as AnySetting;
const mapSettings = (form: (name: Name) => unknown) =>
  Object.fromEntries(names.map((name) => [name, form(name)]));

export const campaignSettings = z.strictObject(
  mapSettings((name) => formsOf(name).request) as { [K in Name]: Settings[K]['request'] },
);
export type CampaignSettings = z.output<typeof campaignSettings>;
export type StoredCampaignSettings = { [K in Name]: ReturnType<Settings[K]['toStored']> };
type ShownCampaignSettings = { [K in Name]: ReturnType<Settings[K]['toShown']> };

export const shownCampaignSettings = z.object(
  mapSettings((name) => formsOf(name).response) as { [K in Name]: Settings[K]['response'] },
);

/** The columns of the settings, for the schema of stored campaigns. */
export const SETTING_COLUMNS = mapSettings((name) => formsOf(name).column) as {
  [K in Name]: SchemaDefinitionProperty<StoredCampaignSettings[K]>;
};

/** Turns requested settings into columns. Pure. */
export function toStoredSettings(settings: CampaignSettings): StoredCampaignSettings {
  return mapSettings((name) => formsOf(name).toStored(settings[name])) as StoredCampaignSettings;
}

/** Turns those settings that are given into columns. Pure. */
export function toStoredChanges(changes: Partial<CampaignSettings>): Partial<StoredCampaignSettings> {
  const given = names.filter((name) => changes[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, formsOf(name).toStored(changes[name])]));
}

/**
 * Turns the columns of a stored campaign into settings as responses show them; one that is newer than the campaign has
 * its default. Pure.
 */
export function toShownSettings(stored: StoredCampaignSettings): ShownCampaignSettings {
  return mapSettings((name) => {
    const { request, toStored, toShown } = formsOf(name);
    return toShown(stored[name] === undefined ? toStored(request.parse(undefined)) : stored[name]);
  }) as ShownCampaignSettings;
}
