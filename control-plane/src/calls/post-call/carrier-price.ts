import type { Carriers } from '../../telephony/carriers/carriers.js';
import { CarrierFailure, type CarrierPrice } from '../../telephony/carriers/port.js';
import type { CallDocument } from '../record/model.js';

const UNKNOWN: CarrierPrice = { kind: 'unknown' };

/** Asks what the call's carrier charges for it by its own word, where it was answered and the carrier can be asked. */
export async function carrierPriceOf(
  carriers: Carriers,
  call: Pick<CallDocument, 'carrier' | 'carrier_call_id' | 'started_at'>,
  signal: AbortSignal,
): Promise<CarrierPrice> {
  const carrier = carriers.find(call.carrier);
  if (!carrier?.price || call.carrier_call_id === null || call.started_at === null) return UNKNOWN;
  try {
    return await carrier.price(call.carrier_call_id, signal);
  } catch (error) {
    // Out of order for the moment: it can be asked again.
    if (error instanceof CarrierFailure) return { kind: 'pending' };
    throw error;
  }
}
