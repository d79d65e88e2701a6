import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { ANSWERED_MEANING } from '../calls/record/answered.js';
import { SPENDING_REFUSALS } from './account-state.js';

const usd = z.number().describe('USD, with at most 6 decimals.');
const day = z.iso.date().describe('A day in UTC.');
const count = z.number().int().nonnegative();

const usageFigures = {
  calls: count.describe('Test sessions are not counted; what they use and cost is part of the rest.'),
  answered_calls: count.describe(ANSWERED_MEANING),
  minutes: z
    .number()
    .nonnegative()
    .describe('Of connected calls, voicemails too, and of test sessions with a voice, to the millisecond.'),
  cost: z
    .object({ stt: usd, llm: usd, tts: usd, carrier: usd, service: usd, total: usd })
    .meta({ id: 'UsageCost' }),
};

export const usageSummary = z
  .object({
    sandbox: z.boolean().describe('Whether this is the usage of sandbox keys, which costs nothing.'),
    currency: z.literal('usd'),
    period: z
      .object({ start: day, end: day.describe('Inclusive.') })
      .describe('The current calendar month, in UTC.'),
    totals: z
      .object({
        ...usageFigures,
        stt_minutes: z.number().nonnegative(),
        llm_input_tokens: count,
        llm_output_tokens: count,
        tts_characters: count,
        realtime: z
          .object({
            minutes: z.number().nonnegative().describe("Of callers' audio."),
            input_audio_tokens: count,
            input_text_tokens: count,
            cached_audio_tokens: count,
            cached_text_tokens: count,
            output_audio_tokens: count,
            output_text_tokens: count,
          })
          .describe(
            "Of speech-to-speech models, by modality; cached tokens are part of the input's. `cost.llm` holds what they cost.",
          ),
        carrier_minutes: count.describe('Started minutes, as carriers count.'),
      })
      .describe('Of the current calendar month.'),
    days: count.describe('How many days `daily` has, today the last of them.'),
    daily: z
      .array(z.object({ date: day, ...usageFigures }))
      .describe('Oldest first; days without calls too.'),
    credit_usd: usd
      .nullable()
      .describe('Free and prepaid credit that is left; null where there never was any.'),
    daily_cap: z.object({ limit_usd: usd.nullable(), spent_usd: usd }).describe('Of today, in UTC.'),
    payment_method: z.boolean().describe('Whether usage beyond the credit can be billed.'),
  })
  .meta({ id: 'UsageSummary' });
export type UsageSummary = z.infer<typeof usageSummary>;

const returnUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(2000)
  .optional();

/** Fixed tiers of the deprecated checkout, each so much prepaid credit, in USD. */
export const PLANS = { starter: 25, growth: 100, scale: 500 } as const;
export type Plan = keyof typeof PLANS;

export const checkoutRequest = z
  .strictObject({
    success_url: returnUrl.describe('Where the user goes afterwards; default: the dashboard.'),
    cancel_url: returnUrl,
    plan: z
      .enum(Object.keys(PLANS) as [Plan, ...Plan[]])
      .optional()
      .describe('Of the deprecated checkout alone.'),
  })
  .meta({ id: 'CheckoutRequest' });
export type CheckoutRequest = z.infer<typeof checkoutRequest>;

export const checkoutResponse = z
  .object({
    session_id: z.string(),
    checkout_url: z.url().describe("The payment provider's page to send the user to."),
    url: z.url().describe('The same as `checkout_url`.'),
  })
  .meta({ id: 'CheckoutResponse' });
export type CheckoutResponse = z.infer<typeof checkoutResponse>;

export const portalResponse = z
  .object({
    portal_url: z.url().describe("The payment provider's page to send the user to; short-lived."),
    url: z.url().describe('The same as `portal_url`.'),
  })
  .meta({ id: 'PortalResponse' });

/** Of the operator. */
const amount = z.number().positive().max(1_000_000);
export const creditGrant = z.strictObject({
  id: uuid.describe('Made by the caller: the same grant sent twice is one.'),
  amount_usd: amount,
  reason: z.string().max(500).default(''),
});
export const dailyCapChange = z.strictObject({
  limit_usd: z.number().nonnegative().max(1_000_000).nullable(),
});
export const accountResponse = z.object({
  tenant_id: uuid,
  credit_usd: usd.nullable(),
  payment_method: z.boolean(),
  daily_cap_usd: usd.nullable(),
  spent_today_usd: usd,
  spent_usd: usd,
  held_usd: usd.describe('For calls that are not charged yet.'),
  refusal: z.enum(SPENDING_REFUSALS).nullable(),
});
export type AccountResponse = z.infer<typeof accountResponse>;
