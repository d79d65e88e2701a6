import type { Route } from '../../platform/http/route.js';
import type { CallbackOptions } from '../../telephony/carriers/adapter.js';
import type { Carriers } from '../../telephony/carriers/carriers.js';
import type { InboundCalls } from '../inbound/inbound-calls.js';
import type { Transfers } from '../transfers/transfers.js';
import type { CarrierNewsIntake } from './carrier-news.js';

export interface CarrierRoutesOptions extends Omit<CallbackOptions, 'reports'> {
  readonly carriers: Carriers;
  readonly news: CarrierNewsIntake;
  readonly inbound: InboundCalls;
  readonly transfers: Transfers;
}

/** What carriers tell of calls, each verified by the carrier's own signature over the raw body. */
export function carrierRoutes({
  carriers,
  news,
  inbound,
  transfers,
  ...options
}: CarrierRoutesOptions): Route[] {
  return carriers.routes({
    ...options,
    reports: {
      accept: (carrier, told) =>
        told.kind === 'transfer_leg' ? transfers.legNews(told) : news.accept(carrier, told),
      receive: (carrier, call) => inbound.receive(carrier, call),
    },
  });
}
