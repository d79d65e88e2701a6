import { optionalUrl } from '@voice/shared/catalogue/environment';
import { optionalText } from '@voice/shared/environment/parsers';
import { z } from 'zod';

/** The part of the environment that is about the payment provider; read by `config.ts` with the rest. */
export const stripeVariables = {
  /** Without one, nothing is billed: usage and cost are kept all the same. */
  STRIPE_SECRET_KEY: optionalText,
  /** Verifies Stripe's events. */
  STRIPE_WEBHOOK_SECRET: optionalText,
  STRIPE_API_URL: optionalUrl,
  /** The meter that sums usage up, in micro-dollars. */
  STRIPE_METER_EVENT_NAME: z.string().min(1).max(100).default('voice_agent_usage'),
  /** The metered price that a customer is subscribed to when a payment method is saved. */
  STRIPE_PRICE_ID: optionalText,
};

export interface StripeAccess {
  readonly secretKey: string;
  readonly webhookSecret?: string | undefined;
  readonly apiUrl?: string | undefined;
  readonly meterEventName: string;
  readonly priceId?: string | undefined;
}

/** Gives the settings that parsed variables hold; undefined where there is no payment provider. */
export function stripeSettings(
  vars: Readonly<
    Partial<Record<keyof typeof stripeVariables, string | undefined>> & { STRIPE_METER_EVENT_NAME: string }
  >,
): StripeAccess | undefined {
  return vars.STRIPE_SECRET_KEY === undefined
    ? undefined
    : {
        secretKey: vars.STRIPE_SECRET_KEY,
        webhookSecret: vars.STRIPE_WEBHOOK_SECRET,
        apiUrl: vars.STRIPE_API_URL,
        meterEventName: vars.STRIPE_METER_EVENT_NAME,
        priceId: vars.STRIPE_PRICE_ID,
      };
}
