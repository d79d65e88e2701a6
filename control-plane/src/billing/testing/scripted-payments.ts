import type { TenantId } from '@voice/shared/ids/ids';
import type {
  HostedSession,
  PaymentNotice,
  Payments,
  SavedMethod,
  SessionRequest,
  UsageReport,
} from '../payments/port.js';

/** A payment provider whose answers are a test's, and that keeps what it was asked. */
export class ScriptedPayments implements Payments {
  readonly reports: UsageReport[] = [];
  readonly setups: SessionRequest[] = [];
  readonly credits: (SessionRequest & { readonly amount: number })[] = [];
  readonly begun: [customer: string, saved: SavedMethod][] = [];
  /** Customers that have saved a payment method. */
  readonly withMethod = new Set<string>();
  /** Customers whose usage a subscription bills: those whose billing has begun. */
  readonly subscribed = new Set<string>();
  /** Customers whose default method was to be restored. */
  readonly restored: string[] = [];
  /** Methods that are saved no more. */
  readonly gone = new Set<string>();
  /** What the next event means. */
  notice: PaymentNotice = { kind: 'ignored', id: 'evt_0', type: 'invoice.paid' };
  read: { rawBody: string; signature: string | undefined; now: number } | undefined;
  /** Comes before a report is taken: a failure, or a wait. */
  beforeReport: () => Promise<void> = async () => {};
  /** Comes before a customer is made. */
  beforeCustomer: () => Promise<void> = async () => {};
  /** Customers that were made. */
  customers = 0;

  async createCustomer(tenant: TenantId): Promise<string> {
    await this.beforeCustomer();
    this.customers += 1;
    return `cus_${this.customers}_${tenant}`;
  }

  async createSetupSession(request: SessionRequest): Promise<HostedSession> {
    this.setups.push(request);
    return { id: `cs_${request.requestId}`, url: 'https://pay.example.com/setup' };
  }

  async createCreditSession(request: SessionRequest & { readonly amount: number }): Promise<HostedSession> {
    this.credits.push(request);
    return { id: `cs_${request.requestId}`, url: 'https://pay.example.com/credit' };
  }

  async createPortalSession(customer: string, returnUrl: string): Promise<string> {
    return `https://pay.example.com/portal/${customer}?back=${returnUrl}`;
  }

  async reportUsage(report: UsageReport): Promise<void> {
    await this.beforeReport();
    this.reports.push(report);
  }

  /** Takes no report before `end` is called. */
  holdReport(): { readonly begun: Promise<void>; readonly end: () => void } {
    let begin = () => {};
    let end = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.beforeReport = () => {
      begin();
      return ended;
    };
    return { begun, end };
  }

  async beginBilling(customer: string, saved: SavedMethod): Promise<boolean> {
    if ('method' in saved && this.gone.has(saved.method)) return false;
    this.begun.push([customer, saved]);
    this.subscribed.add(customer);
    return true;
  }

  async hasSubscription(customer: string): Promise<boolean> {
    return this.subscribed.has(customer);
  }

  async restoreDefaultMethod(customer: string): Promise<boolean> {
    this.restored.push(customer);
    return this.withMethod.has(customer);
  }

  async hasPaymentMethod(customer: string): Promise<boolean> {
    return this.withMethod.has(customer);
  }

  readNotice(rawBody: Buffer, signature: string | undefined, now: number): PaymentNotice {
    this.read = { rawBody: rawBody.toString(), signature, now };
    return this.notice;
  }
}
