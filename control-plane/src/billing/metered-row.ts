import type { MicroDollars } from '../platform/money/micro-dollars.js';

const METER_STATES = ['none', 'pending', 'sent', 'no_customer', 'expired'] as const;

/** How far a report to the payment provider is. */
type MeterState =
  /** Nothing is decided yet, or there is nothing to report. */
  | 'none'
  | 'pending'
  | 'sent'
  /** The tenant was no customer of the payment provider, or had no payment method where billing is required. */
  | 'no_customer'
  /** Too old for the payment provider to take. */
  | 'expired';

/** What is reported to the payment provider, once. */
export interface MeteredRow {
  _id: string;
  tenant_id: string;
  meter_state: MeterState;
  /** What the payment provider is to bill, in micro-dollars. */
  meter_value: MicroDollars;
  meter_attempts: number;
  /** When to report it, or to report it again; null when there is nothing to report. */
  meter_due_at: Date | null;
}

/** The schema of those fields. */
export const METER_FIELDS = {
  meter_state: { type: String, enum: METER_STATES, required: true },
  meter_value: { type: Number, required: true },
  meter_attempts: { type: Number, required: true },
  meter_due_at: { type: Date, default: null },
} as const;

/** The index of what is to be reported: nothing else is in it. */
export const DUE_TO_METER = [
  { meter_due_at: 1 },
  { name: 'meter_due', partialFilterExpression: { meter_due_at: { $gte: new Date(0) } } },
] as const;
