import type { Route } from '../../platform/http/route.js';
import type { CallbackOptions } from '../../telephony/carriers/adapter.js';
import type { Carriers } from '../../telephony/carriers/carriers.js';
import type { InboundCalls } from '../inbound/inbound-calls.js';
import type { Transfers } from '../transfers/transfers.js';
import type { CarrierCallbackHandler } from './callback-handler.js';

export interface CarrierRoutesOptions extends Omit<CallbackOptions, 'reports'> {
  readonly carriers: Carriers;
  readonly callbackHandler: CarrierCallbackHandler;
  readonly inbound: InboundCalls;
  readonly transfers: Transfers;
}

/** Routes for carrier callbacks, each verified by the carrier's own signature over the raw body. */
export function carrierRoutes({
  carriers,
  callbackHandler,
  inbound,
  transfers,
  ...options
}: CarrierRoutesOptions): Route[] {
  return carriers.routes({
    ...options,
    reports: {
      accept: (carrier, report) =>
        report.kind === 'transfer_leg'
          ? transfers.acceptLegReport(report)
          : callbackHandler.accept(carrier, report),
      receive: (carrier, call) => inbound.receive(carrier, call),
    },
  });
}
