import { z } from 'zod';
import { noContent, type Route, reply, route, streamed } from '../../platform/http/route.js';
import type { Carriers } from '../../telephony/carriers/carriers.js';
import type { CarrierCallback } from '../../telephony/carriers/port.js';
import type { TwilioCallbackKind } from '../../telephony/carriers/twilio/callback.js';
import type { InboundCalls } from '../inbound/inbound-calls.js';
import type { Transfers } from '../transfers/transfers.js';
import type { CarrierNewsIntake } from './carrier-news.js';
import type { TelnyxIntake } from './telnyx-intake.js';

const tag = 'Internal';

export interface CarrierRoutesDeps {
  readonly carriers: Carriers;
  readonly news: CarrierNewsIntake;
  readonly inbound: InboundCalls;
  readonly transfers: Transfers;
  readonly telnyx: TelnyxIntake;
  readonly publicUrl: () => string;
}

interface Arrived {
  readonly rawBody: Buffer;
  readonly request: { readonly originalUrl: string; get(name: string): string | undefined };
}

/** What carriers tell of calls, each verified by the carrier's own signature over the raw body. */
export function carrierRoutes(deps: CarrierRoutesDeps): Route[] {
  return [
    callbackRoute('status', 'status', deps),
    callbackRoute('amd', 'answered_by', deps),
    callbackRoute('recording', 'recording', deps),
    callbackRoute('transfer', 'transfer_leg', deps),
    inboundRoute(deps),
    dialedRoute(deps),
    telnyxRoute(deps),
  ];
}

function callbackOf({ rawBody, request }: Arrived, publicUrl: () => string): CarrierCallback {
  return {
    // As the carrier was told it; a proxy in between may have changed what the request says.
    url: publicUrl() + request.originalUrl,
    rawBody,
    header: (name) => request.get(name),
  };
}

const twilioParams = z.object({ carrier: z.enum(['twilio', 'simulated']) });

function callbackRoute(
  path: 'status' | 'amd' | 'recording' | 'transfer',
  kind: TwilioCallbackKind,
  { carriers, news, transfers, publicUrl }: CarrierRoutesDeps,
): Route {
  return route({
    method: 'post',
    path: `/internal/carriers/{carrier}/${path}`,
    operationId: `carrier_${path}`,
    tag,
    summary: 'What a carrier tells of a call; signed by the carrier',
    auth: 'none',
    params: twilioParams,
    responses: { 204: { description: 'Heard.' } },
    errors: ['invalid_signature', 'malformed_request', 'call_not_found', 'carrier_error', 'carrier_timeout'],
    handler: async ({ params, rawBody, request }) => {
      const carrier = carriers.requireTwilio(params.carrier);
      const told = carrier.readCallback(kind, callbackOf({ rawBody, request }, publicUrl));
      if (told.kind === 'transfer_leg') await transfers.legNews(told);
      else await news.accept(carrier.name, told);
      return noContent();
    },
  });
}

function twimlAnswer(twiml: string) {
  return streamed(
    200,
    (response) => {
      response.end(twiml);
    },
    { 'Content-Type': 'text/xml; charset=utf-8' },
  );
}

function inboundRoute({ carriers, inbound, publicUrl }: CarrierRoutesDeps): Route {
  return route({
    method: 'post',
    path: '/internal/carriers/{carrier}/inbound',
    operationId: 'carrier_inbound',
    tag,
    summary: 'Somebody calls a number; answered with TwiML',
    auth: 'none',
    params: twilioParams,
    responses: { 200: { description: 'What the carrier is to do.', contentType: 'text/xml' } },
    errors: ['invalid_signature', 'malformed_request', 'carrier_error'],
    handler: async ({ params, rawBody, request }) => {
      const carrier = carriers.requireTwilio(params.carrier);
      const call = carrier.readInbound(callbackOf({ rawBody, request }, publicUrl));
      return twimlAnswer(carrier.answerInbound(await inbound.receive(carrier, call)));
    },
  });
}

function dialedRoute({ carriers, publicUrl }: CarrierRoutesDeps): Route {
  return route({
    method: 'post',
    path: '/internal/carriers/{carrier}/dialed',
    operationId: 'carrier_dialed',
    tag,
    summary: 'A transfer has ended, or nobody took it; answered with TwiML',
    auth: 'none',
    params: twilioParams,
    responses: { 200: { description: 'What the carrier is to do.', contentType: 'text/xml' } },
    errors: ['invalid_signature', 'malformed_request', 'carrier_error'],
    handler: async ({ params, rawBody, request }) =>
      twimlAnswer(
        carriers.requireTwilio(params.carrier).answerDialed(callbackOf({ rawBody, request }, publicUrl)),
      ),
  });
}

function telnyxRoute({ telnyx, publicUrl }: CarrierRoutesDeps): Route {
  return route({
    method: 'post',
    path: '/internal/carriers/telnyx/events',
    operationId: 'telnyx_events',
    tag,
    summary: 'What Telnyx tells of calls; signed with Ed25519',
    auth: 'none',
    responses: { 200: { description: 'Heard.', schema: z.object({ status: z.literal('ok') }) } },
    errors: ['invalid_signature', 'malformed_request', 'carrier_error', 'carrier_timeout'],
    handler: async ({ rawBody, request }) => {
      await telnyx.accept(callbackOf({ rawBody, request }, publicUrl));
      return reply(200, { status: 'ok' as const });
    },
  });
}
