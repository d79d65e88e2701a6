import { fromUsd } from '../../../platform/money/micro-dollars.js';
import type { CarrierPrice } from '../port.js';

/**
 * Reads a call resource's `price`: a charge as a negative decimal, null until Twilio has priced the call. It is in
 * the currency of the account; one that is not USD is not converted.
 */
export function twilioPrice(price: string | null | undefined, unit: string | undefined): CarrierPrice {
  if (price === null) return { kind: 'pending' };
  const amount = price === undefined || price === '' ? Number.NaN : Number(price);
  if (!Number.isFinite(amount) || (unit ?? 'USD').toUpperCase() !== 'USD') return { kind: 'unknown' };
  return { kind: 'price', amount: fromUsd(Math.abs(amount)) };
}
