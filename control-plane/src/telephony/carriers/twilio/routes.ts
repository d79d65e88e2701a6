import type { CarrierName } from '@voice/shared/catalogue/carriers';
import { ServiceError } from '@voice/shared/errors/service-error';
import { noContent, type Route, route, streamed } from '../../../platform/http/route.js';
import { CALLBACK_LIMIT_BYTES, type CallbackOptions, callbackOf } from '../adapter.js';
import type { TwilioCallbackKind } from './callback.js';
import type { TwilioCarrier } from './twilio-carrier.js';

const tag = 'Internal';

/**
 * Declares the routes for what a carrier with Twilio's API reports of calls, each verified by its signature over the
 * raw body.
 */
export function twilioRoutes(
  name: CarrierName,
  carrier: () => TwilioCarrier,
  options: CallbackOptions,
): Route[] {
  const base = `/internal/carriers/${name}`;
  return [
    callbackRoute('status', 'status'),
    callbackRoute('amd', 'answered_by'),
    callbackRoute('recording', 'recording'),
    callbackRoute('transfer', 'transfer_leg'),
    inboundRoute(),
    dialedRoute(),
    briefedRoute(),
  ];

  function callbackRoute(path: 'status' | 'amd' | 'recording' | 'transfer', kind: TwilioCallbackKind): Route {
    return route({
      method: 'post',
      path: `${base}/${path}`,
      operationId: `${name}_${path}`,
      tag,
      summary: 'What a carrier reports of a call; signed by the carrier',
      auth: 'none',
      bodyLimitBytes: CALLBACK_LIMIT_BYTES,
      responses: { 204: { description: 'Heard.' } },
      errors: [
        'invalid_signature',
        'malformed_request',
        'call_not_found',
        'carrier_error',
        'carrier_timeout',
      ],
      handler: async ({ rawBody, request }) => {
        const report = carrier().readCallback(kind, callbackOf({ rawBody, request }, options.publicUrl));
        await options.reports.accept(name, report);
        return noContent();
      },
    });
  }

  function inboundRoute(): Route {
    return route({
      method: 'post',
      path: `${base}/inbound`,
      operationId: `${name}_inbound`,
      tag,
      summary: 'Somebody calls a number; answered with TwiML',
      auth: 'none',
      bodyLimitBytes: CALLBACK_LIMIT_BYTES,
      responses: { 200: { description: 'What the carrier is to do.', contentType: 'text/xml' } },
      errors: ['invalid_signature', 'malformed_request', 'carrier_error'],
      handler: async ({ rawBody, request }) => {
        const called = carrier();
        const call = called.readInbound(callbackOf({ rawBody, request }, options.publicUrl));
        return twimlAnswer(called.answerInbound(await options.reports.receive(called, call)));
      },
    });
  }

  /** The human waits in the conference also where it is not known yet whether the caller comes. */
  function briefedRoute(): Route {
    return route({
      method: 'post',
      path: `${base}/briefed`,
      operationId: `${name}_briefed`,
      tag,
      summary: 'A human has heard the briefing of a warm transfer; answered with TwiML',
      auth: 'none',
      bodyLimitBytes: CALLBACK_LIMIT_BYTES,
      responses: { 200: { description: 'What the carrier is to do.', contentType: 'text/xml' } },
      errors: ['invalid_signature', 'malformed_request', 'carrier_error'],
      handler: async ({ rawBody, request }) => {
        const called = carrier();
        const report = called.readBriefed(callbackOf({ rawBody, request }, options.publicUrl));
        let goesOn = true;
        try {
          await options.reports.accept(name, report);
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          goesOn = error.code === 'carrier_timeout';
        }
        return twimlAnswer(called.answerBriefed(report.transferId, goesOn));
      },
    });
  }

  function dialedRoute(): Route {
    return route({
      method: 'post',
      path: `${base}/dialed`,
      operationId: `${name}_dialed`,
      tag,
      summary: 'A transfer has ended, or nobody took it; answered with TwiML',
      auth: 'none',
      bodyLimitBytes: CALLBACK_LIMIT_BYTES,
      responses: { 200: { description: 'What the carrier is to do.', contentType: 'text/xml' } },
      errors: ['invalid_signature', 'malformed_request', 'carrier_error'],
      handler: async ({ rawBody, request }) =>
        twimlAnswer(carrier().answerDialed(callbackOf({ rawBody, request }, options.publicUrl))),
    });
  }
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
