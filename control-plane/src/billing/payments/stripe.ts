import type { Clock } from '@voice/shared/clock/clock';
import type { ServiceError } from '@voice/shared/errors/service-error';
import type { TenantId } from '@voice/shared/ids/ids';
import Stripe from 'stripe';
import { apiError } from '../../platform/http/error-codes.js';
import type {
  HostedSession,
  PaymentNotice,
  Payments,
  SavedMethod,
  SessionRequest,
  UsageReport,
} from './port.js';
import { idOf, MICRO_PER_CENT, noticeOf } from './stripe-notices.js';

/** How long one request may take, and how often it is sent again after a failure of the network. */
const TIMEOUT_MS = 20_000;
const RETRIES = 2;
/**
 * For how long requests for a tenant's customer count as the same, in ms. Not for longer: Stripe keeps a
 * failure under its Idempotency-Key for a day (https://docs.stripe.com/api/idempotent_requests).
 */
const SAME_REQUEST_MS = 60_000;
/** A signature is refused when it is older, in seconds. */
const TOLERANCE_S = 300;
/** A usage that was reported before; such a refusal has no code of its own. */
const ALREADY_REPORTED = /event already exists with identifier/i;

export interface StripeOptions {
  readonly secretKey: string;
  /** Verifies what Stripe reports; without one nothing is accepted. */
  readonly webhookSecret?: string | undefined;
  /** Default: Stripe's own. */
  readonly apiUrl?: string | undefined;
  /** The meter that sums usage up, in micro-dollars (https://docs.stripe.com/billing/subscriptions/usage-based). */
  readonly meterEventName: string;
  /** The metered price by which the meter is billed; without one, subscriptions are made elsewhere. */
  readonly priceId?: string | undefined;
}

/** The SDK's settings for an address. Pure. */
export function addressOf(apiUrl: string): Stripe.StripeConfig {
  const { protocol, hostname, port } = new URL(apiUrl);
  const secure = protocol === 'https:';
  return {
    protocol: secure ? 'https' : 'http',
    host: hostname,
    port: port === '' ? (secure ? 443 : 80) : Number(port),
  };
}

/** What a failure of the SDK is to callers. Pure. */
export function paymentFailure(error: unknown): ServiceError {
  if (error instanceof Stripe.errors.StripeConnectionError && /time(d )?out/i.test(error.message)) {
    return apiError('payment_provider_timeout', undefined, { cause: error, retryable: true });
  }
  const retryable =
    error instanceof Stripe.errors.StripeConnectionError ||
    error instanceof Stripe.errors.StripeRateLimitError ||
    error instanceof Stripe.errors.StripeAPIError;
  return apiError('payment_provider_error', undefined, { cause: error, retryable });
}

async function asked<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    throw paymentFailure(error);
  }
}

/** Stripe by its SDK (https://docs.stripe.com/api). */
export class StripePayments implements Payments {
  readonly #stripe: Stripe;
  readonly #options: StripeOptions;
  readonly #clock: Clock;

  constructor(options: StripeOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#stripe = new Stripe(options.secretKey, {
      timeout: TIMEOUT_MS,
      maxNetworkRetries: RETRIES,
      telemetry: false,
      ...(options.apiUrl === undefined ? {} : addressOf(options.apiUrl)),
    });
  }

  async createCustomer(tenant: TenantId): Promise<string> {
    const customer = await asked(
      this.#stripe.customers.create(
        { metadata: { tenant_id: tenant } },
        { idempotencyKey: `customer:${tenant}:${Math.floor(this.#clock.now() / SAME_REQUEST_MS)}` },
      ),
    );
    return customer.id;
  }

  createSetupSession({ tenant, customer, urls, requestId }: SessionRequest): Promise<HostedSession> {
    return this.#session(
      {
        mode: 'setup',
        currency: 'usd',
        customer,
        client_reference_id: tenant,
        success_url: urls.success,
        cancel_url: urls.cancel,
      },
      `setup:${requestId}`,
    );
  }

  createCreditSession(request: SessionRequest & { readonly amount: number }): Promise<HostedSession> {
    const { tenant, customer, urls, requestId, amount } = request;
    return this.#session(
      {
        mode: 'payment',
        customer,
        client_reference_id: tenant,
        success_url: urls.success,
        cancel_url: urls.cancel,
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: 'usd',
              unit_amount: Math.round(amount / MICRO_PER_CENT),
              product_data: { name: 'Prepaid credit' },
            },
          },
        ],
      },
      `credit:${requestId}`,
    );
  }

  async createPortalSession(customer: string, returnUrl: string): Promise<string> {
    const session = await asked(
      this.#stripe.billingPortal.sessions.create({ customer, return_url: returnUrl }),
    );
    return session.url;
  }

  /** No key of its own: the identifier marks repeats, and a failure is not kept under it. */
  async reportUsage({ customer, value, identifier, at }: UsageReport): Promise<void> {
    try {
      await this.#stripe.billing.meterEvents.create({
        event_name: this.#options.meterEventName,
        identifier,
        timestamp: Math.floor(at / 1000),
        payload: { stripe_customer_id: customer, value: String(value) },
      });
    } catch (error) {
      if (error instanceof Stripe.errors.StripeInvalidRequestError && ALREADY_REPORTED.test(error.message))
        return;
      throw paymentFailure(error);
    }
  }

  async beginBilling(customer: string, saved: SavedMethod): Promise<boolean> {
    const method = await this.#methodOf(customer, saved);
    if (method === null) return false;
    // A setup reports its method as attached, too, before it or after.
    if ('setup' in saved || (await this.#hasNoDefault(customer))) await this.#setDefault(customer, method);
    const { priceId } = this.#options;
    if (priceId === undefined || (await this.hasSubscription(customer))) return true;
    await asked(
      this.#stripe.subscriptions.create(
        { customer, items: [{ price: priceId }] },
        // By the method: a checkout reports it twice at the same moment, as a session and as attached.
        { idempotencyKey: `subscription:${customer}:${method}` },
      ),
    );
    return true;
  }

  /** Returns the id of the saved method; null where it is the customer's no more. */
  async #methodOf(customer: string, saved: SavedMethod): Promise<string | null> {
    const id =
      'method' in saved
        ? saved.method
        : idOf((await asked(this.#stripe.setupIntents.retrieve(saved.setup))).payment_method);
    if (id === null) return null;
    const method = await asked(this.#stripe.paymentMethods.retrieve(id));
    return idOf(method.customer) === customer ? id : null;
  }

  async hasSubscription(customer: string): Promise<boolean> {
    const { priceId } = this.#options;
    if (priceId === undefined) return true;
    const running = await asked(this.#stripe.subscriptions.list({ customer, price: priceId, limit: 1 }));
    return running.data.length > 0;
  }

  async restoreDefaultMethod(customer: string): Promise<boolean> {
    const isMissing = await this.#hasNoDefault(customer);
    const latest = await this.#latestMethod(customer);
    if (latest && isMissing) await this.#setDefault(customer, latest.id);
    return latest !== undefined;
  }

  async hasPaymentMethod(customer: string): Promise<boolean> {
    return (await this.#latestMethod(customer)) !== undefined;
  }

  async #latestMethod(customer: string): Promise<Stripe.PaymentMethod | undefined> {
    const methods = await asked(this.#stripe.customers.listPaymentMethods(customer, { limit: 1 }));
    return methods.data[0];
  }

  async #hasNoDefault(customer: string): Promise<boolean> {
    const found = await asked(this.#stripe.customers.retrieve(customer));
    return !found.deleted && idOf(found.invoice_settings.default_payment_method) === null;
  }

  async #setDefault(customer: string, method: string): Promise<void> {
    await asked(
      this.#stripe.customers.update(customer, { invoice_settings: { default_payment_method: method } }),
    );
  }

  readNotice(rawBody: Buffer, signature: string | undefined, now: number): PaymentNotice {
    return noticeOf(this.#verified(rawBody, signature, now), this.#options.priceId);
  }

  #verified(rawBody: Buffer, signature: string | undefined, now: number): Stripe.Event {
    const { webhookSecret } = this.#options;
    if (webhookSecret === undefined || signature === undefined) throw apiError('invalid_signature');
    try {
      return this.#stripe.webhooks.constructEvent(
        rawBody,
        signature,
        webhookSecret,
        TOLERANCE_S,
        undefined,
        now,
      );
    } catch (cause) {
      if (cause instanceof Stripe.errors.StripeSignatureVerificationError) {
        throw apiError('invalid_signature', undefined, { cause });
      }
      throw cause;
    }
  }

  async #session(
    params: Stripe.Checkout.SessionCreateParams,
    idempotencyKey: string,
  ): Promise<HostedSession> {
    const session = await asked(this.#stripe.checkout.sessions.create(params, { idempotencyKey }));
    if (!session.url) throw apiError('payment_provider_error');
    return { id: session.id, url: session.url };
  }
}
