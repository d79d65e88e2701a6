import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId, type TenantId } from '@voice/shared/ids/ids';
import { apiError } from '../platform/http/error-codes.js';
import { isDuplicateKey } from '../platform/http/errors.js';
import { fromUsd } from '../platform/money/micro-dollars.js';
import type { Accounts } from './accounts.js';
import type { CustomerModel } from './customer-model.js';
import type { PaymentNotice, Payments, ReturnUrls } from './payments/port.js';
import { type CheckoutRequest, type CheckoutResponse, PLANS, type Plan } from './schemas.js';

export interface CheckoutOptions {
  readonly customers: CustomerModel;
  readonly accounts: Accounts;
  /** Undefined where none is configured. */
  readonly payments: Payments | undefined;
  /** Bills what was used before there was a payment method, where that is wanted. May run again. */
  readonly billEarlier: (tenant: TenantId) => Promise<void>;
  readonly publicUrl: () => string;
  readonly clock: Clock;
}

/** A tenant's dealings with the payment provider. */
export class Checkout {
  readonly #options: CheckoutOptions;

  constructor(options: CheckoutOptions) {
    this.#options = options;
  }

  /** Returns a page to save a payment method on; makes the tenant a customer. */
  async setup(tenant: TenantId, requestId: string, request: CheckoutRequest): Promise<CheckoutResponse> {
    const payments = this.#payments();
    const customer = await this.#ensureCustomer(payments, tenant);
    const session = await payments.createSetupSession({
      tenant,
      customer,
      urls: this.#urls(request),
      requestId,
    });
    return { session_id: session.id, checkout_url: session.url, url: session.url };
  }

  /** Returns a page to pay for a fixed tier on: so much prepaid credit. */
  async buy(
    tenant: TenantId,
    requestId: string,
    request: CheckoutRequest,
    plan: Plan,
  ): Promise<CheckoutResponse> {
    const payments = this.#payments();
    const customer = await this.#ensureCustomer(payments, tenant);
    const session = await payments.createCreditSession({
      tenant,
      customer,
      urls: this.#urls(request),
      requestId,
      amount: fromUsd(PLANS[plan]),
    });
    return { session_id: session.id, checkout_url: session.url, url: session.url };
  }

  /** Returns the provider's page for invoices and payment methods; 409 `payment_customer_missing`. */
  async portal(tenant: TenantId): Promise<string> {
    const customer = await this.#options.customers.findOne({ _id: tenant }).lean();
    if (!customer) throw apiError('payment_customer_missing');
    return this.#payments().createPortalSession(customer.customer_id, this.#billingPage());
  }

  /** Handles what the provider reports; a repeat changes nothing. */
  async take(rawBody: Buffer, signature: string | undefined): Promise<PaymentNotice['kind']> {
    const { payments, accounts, clock } = this.#options;
    if (!payments) throw apiError('invalid_signature', 'This installation has no payment provider.');
    const notice = payments.readNotice(rawBody, signature, clock.now());
    if (notice.kind === 'ignored') return notice.kind;
    const tenant = await this.#tenantOf(notice.customer);
    // Of another installation under the same account.
    if (tenant === null) return 'ignored';
    switch (notice.kind) {
      // Asked rather than concluded: notices may overtake each other.
      case 'method_saved': {
        const ready = await payments.hasPaymentMethod(notice.customer);
        // With that one gone by now, the notice of the other begins billing.
        if (ready && !(await payments.beginBilling(notice.customer, notice.saved))) break;
        await accounts.setPaymentMethod(tenant, notice.id, ready);
        if (ready) await this.#options.billEarlier(tenant);
        break;
      }
      // Neither makes ready: another method that is left may be billed by no subscription.
      case 'method_removed':
        if (await payments.restoreDefaultMethod(notice.customer)) break;
        await accounts.setPaymentMethod(tenant, notice.id, false);
        break;
      case 'subscription_ended':
        if (await payments.hasSubscription(notice.customer)) break;
        await accounts.setPaymentMethod(tenant, notice.id, false);
        break;
      case 'customer_removed':
        await accounts.setPaymentMethod(tenant, notice.id, false);
        await this.#options.customers.deleteOne({ _id: tenant, customer_id: notice.customer });
        break;
      case 'credit_paid':
        await accounts.addCredit(tenant, notice.session, notice.amount, 'Prepaid by checkout.');
        break;
    }
    return notice.kind;
  }

  #payments(): Payments {
    const { payments } = this.#options;
    if (!payments) throw apiError('payment_provider_not_configured');
    return payments;
  }

  async #ensureCustomer(payments: Payments, tenant: TenantId): Promise<string> {
    const { customers, clock } = this.#options;
    const known = await customers.findOne({ _id: tenant }).lean();
    if (known) return known.customer_id;
    const customer = await payments.createCustomer(tenant);
    try {
      await customers.insertMany([{ _id: tenant, customer_id: customer, created_at: new Date(clock.now()) }]);
      return customer;
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      return (await customers.findOne({ _id: tenant }).orFail().lean()).customer_id;
    }
  }

  async #tenantOf(customer: string): Promise<TenantId | null> {
    const row = await this.#options.customers.findOne({ customer_id: customer }).lean();
    return row && asTenantId(row._id);
  }

  /** The page that people left for the provider's: payment belongs to live mode. */
  #billingPage(): string {
    return `${this.#options.publicUrl()}/dashboard/billing?mode=live`;
  }

  #urls({ success_url, cancel_url }: CheckoutRequest): ReturnUrls {
    return {
      success: success_url ?? `${this.#billingPage()}&billing=success`,
      cancel: cancel_url ?? `${this.#billingPage()}&billing=cancelled`,
    };
  }
}
