import type { TenantId } from '@voice/shared/ids/ids';
import type { MicroDollars } from '../../platform/money/micro-dollars.js';

/** Where the provider sends the tenant's user when he is done. */
export interface ReturnUrls {
  readonly success: string;
  readonly cancel: string;
}

export interface SessionRequest {
  readonly tenant: TenantId;
  readonly customer: string;
  readonly urls: ReturnUrls;
  /** The same for a repeated request: it gets the same session. */
  readonly requestId: string;
}

/** A page of the provider's that the tenant's user is sent to. */
export interface HostedSession {
  readonly id: string;
  readonly url: string;
}

export interface UsageReport {
  readonly customer: string;
  readonly value: MicroDollars;
  /** Unique: reported again it changes nothing. */
  readonly identifier: string;
  /** Epoch ms. */
  readonly at: number;
}

/** A payment method that was saved, or the setup in which it was. */
export type SavedMethod = { readonly setup: string } | { readonly method: string };

/** What the provider reports; `id` is the event's, the same in a repeat. */
export type PaymentNotice =
  | {
      readonly kind: 'method_saved';
      readonly id: string;
      readonly customer: string;
      readonly saved: SavedMethod;
    }
  | { readonly kind: 'method_removed'; readonly id: string; readonly customer: string }
  /** What bills the customer's usage has ended. */
  | { readonly kind: 'subscription_ended'; readonly id: string; readonly customer: string }
  | { readonly kind: 'customer_removed'; readonly id: string; readonly customer: string }
  | {
      readonly kind: 'credit_paid';
      readonly id: string;
      readonly customer: string;
      /** The same however often, and by whichever event, its payment is reported. */
      readonly session: string;
      readonly amount: MicroDollars;
    }
  | { readonly kind: 'ignored'; readonly id: string; readonly type: string };

/**
 * A payment provider. Failures are 502 `payment_provider_error` or 504 `payment_provider_timeout`, with
 * `retryable` where the same may succeed later.
 */
export interface Payments {
  /** Returns the tenant's customer; asked again soon, also at the same time, it is the same one. */
  createCustomer(tenant: TenantId): Promise<string>;
  /** To save a payment method without paying anything. */
  createSetupSession(request: SessionRequest): Promise<HostedSession>;
  /** To pay for credit. */
  createCreditSession(request: SessionRequest & { readonly amount: MicroDollars }): Promise<HostedSession>;
  createPortalSession(customer: string, returnUrl: string): Promise<string>;
  reportUsage(report: UsageReport): Promise<void>;
  /**
   * After a method was saved: what is used from now on is billed. To that method where it was saved by a setup or is
   * the first; one that was added otherwise leaves the default as it is. Does nothing and returns false where the
   * method is the customer's no more. May run again, also at the same time and by either name of the method.
   */
  beginBilling(customer: string, saved: SavedMethod): Promise<boolean>;
  /**
   * After a method was removed: where the customer has no default any more, the latest one that is left becomes it.
   * Returns whether one is left. May run again, also at the same time.
   */
  restoreDefaultMethod(customer: string): Promise<boolean>;
  hasPaymentMethod(customer: string): Promise<boolean>;
  /** Returns whether a subscription bills what the customer uses; true where those are made elsewhere. */
  hasSubscription(customer: string): Promise<boolean>;
  /** Verifies the signature over the raw body; throws 401 `invalid_signature`. `now` in epoch ms. */
  readNotice(rawBody: Buffer, signature: string | undefined, now: number): PaymentNotice;
}
