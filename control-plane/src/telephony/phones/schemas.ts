import { DEFAULT_CARRIER } from '@voice/shared/catalogue/carriers';
import { e164, uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { wholeListFields } from '../../platform/http/whole-list.js';
import type { AvailableNumber } from '../carriers/port.js';
import {
  ATTESTATION_SOURCES,
  ATTESTATIONS,
  PHONE_PROVIDERS,
  PHONE_SOURCES,
  type PhoneNumberDocument,
} from './model.js';

/** The carriers that a tenant chooses from; the first is the default. */
const carrierChoice = z
  .enum(PHONE_PROVIDERS)
  .default(DEFAULT_CARRIER)
  .describe(
    'With a sandbox key the simulated carrier stands for whichever is named; `simulated` itself is for sandbox keys alone.',
  );

export const availableQuery = z.object({
  country: z
    .string()
    .max(2)
    .regex(/^[A-Za-z]{2}$/, 'must be two letters (ISO 3166-1 alpha-2)')
    .toUpperCase()
    .default('US'),
  area_code: z
    .string()
    .max(5)
    .regex(/^\d{1,5}$/, 'must be digits')
    .optional(),
  provider: carrierChoice,
});

export const availableNumber = z
  .object({
    phone_number: e164,
    provider: z.enum(PHONE_PROVIDERS),
    country: z.string(),
    region: z.string().nullable(),
    locality: z.string().nullable(),
    capabilities: z.object({ voice: z.boolean(), sms: z.boolean() }),
  })
  .meta({ id: 'AvailableNumber' });

export function presentAvailable(
  number: AvailableNumber,
  provider: z.output<typeof availableNumber>['provider'],
): z.output<typeof availableNumber> {
  return {
    phone_number: number.number,
    provider,
    country: number.country,
    region: number.region,
    locality: number.locality,
    capabilities: { voice: number.voice, sms: number.sms },
  };
}

export const provisionRequest = z
  .strictObject({ phone_number: e164, provider: carrierChoice })
  .meta({ id: 'ProvisionRequest' });

export const importRequest = z
  .strictObject({
    phone_number: e164.describe('A number that the tenant has; dialing with it needs a verification.'),
    provider: carrierChoice,
  })
  .meta({ id: 'ImportNumberRequest' });

export const assignAgentRequest = z
  .strictObject({ agent_id: uuid.nullable().describe('Answers calls to the number; null unassigns.') })
  .meta({ id: 'AssignAgentRequest' });

export const phoneNumberResponse = z
  .object({
    id: uuid,
    phone_number: e164,
    number: e164.describe('The same as `phone_number`.'),
    provider: z.enum(PHONE_PROVIDERS),
    source: z.enum(PHONE_SOURCES),
    agent_id: uuid.nullable(),
    caller_id_verified_at: z.iso.datetime().nullable(),
    attestation: z
      .enum(ATTESTATIONS)
      .nullable()
      .describe(
        'STIR/SHAKEN; null: unknown, which is no refusal. Numbers attested B or C are not dialed with.',
      ),
    attestation_source: z
      .enum(ATTESTATION_SOURCES)
      .nullable()
      .describe(
        'Who has said so: `purchase`, the `carrier` of a call made from the number, the signalling of an `inbound` call from it, or the `operator`.',
      ),
    sandbox: z.boolean(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'PhoneNumberResponse' });
export type PhoneNumberResponse = z.output<typeof phoneNumberResponse>;

export const phoneNumberListResponse = z
  .object({
    phone_numbers: z.array(phoneNumberResponse).describe('All of them, newest first.'),
    total: z.number().int(),
    ...wholeListFields,
  })
  .meta({ id: 'PhoneNumberListResponse' });

export function presentNumber(row: PhoneNumberDocument): PhoneNumberResponse {
  return {
    id: row._id,
    phone_number: row.number,
    number: row.number,
    provider: row.provider,
    source: row.source,
    agent_id: row.agent_id,
    caller_id_verified_at: row.caller_id_verified_at?.toISOString() ?? null,
    attestation: row.attestation,
    attestation_source: row.attestation_source ?? null,
    sandbox: row.sandbox,
    created_at: row.created_at.toISOString(),
  };
}
