import { ServiceError } from '@voice/shared/errors/service-error';
import { noContent, type Route, route, streamed } from '../../../platform/http/route.js';
import { CALLBACK_LIMIT_BYTES, type CallbackOptions, callbackOf } from '../adapter.js';
import { NOBODY_THERE } from '../left-alone-text.js';
import type { CarrierReport, InboundAnswer } from '../port.js';
import { readPlivoDialed, readPlivoInbound, readPlivoMachine, readPlivoStatus } from './callbacks.js';
import type { PlivoInstruction } from './instruction.js';
import type { PlivoCarrier } from './plivo-carrier.js';
import { plivoXml } from './xml.js';

const BASE = '/internal/carriers/plivo';

/**
 * Declares the routes for what Plivo reports of calls, and asks what to do with them, each verified by its signature.
 */
export function plivoRoutes(
  carrier: () => PlivoCarrier,
  { reports, publicUrl, log }: CallbackOptions,
): Route[] {
  const accept = async (received: readonly CarrierReport[]) => {
    for (const one of received) await reports.accept('plivo', one);
  };
  return [
    ...(['status', 'machine'] as const).map((path) =>
      route({
        method: 'post',
        path: `${BASE}/${path}`,
        operationId: `plivo_${path}`,
        tag: 'Internal',
        summary: 'What Plivo reports of a call; signed',
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
        handler: async (arrived) => {
          const { authToken } = carrier();
          const callback = callbackOf(arrived, publicUrl);
          await accept(
            path === 'status'
              ? readPlivoStatus(callback, authToken)
              : [readPlivoMachine(callback, authToken)],
          );
          return noContent();
        },
      }),
    ),
    asking('instructions', 'Somebody answered, or a call has a new course', async (callback) => {
      const { authToken, instructions } = carrier();
      const query = new URL(callback.url).searchParams;
      const received = readPlivoStatus(callback, authToken);
      const what = instructions.open(query.get('sealed') ?? '');
      // A call that is given a new course was answered before.
      if (!query.has('call_id') && !query.has('transfer_id')) return what;
      try {
        await accept(received);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== 'call_not_found') throw error;
        log.info({ carrier: 'plivo' }, 'an unknown call was answered');
        return { do: 'hang_up' };
      }
      return what;
    }),
    asking('inbound', 'Somebody calls a number', async (callback) => {
      const own = carrier();
      return instructionOf(await reports.receive(own, readPlivoInbound(callback, own.authToken)));
    }),
    asking('dialed', 'A transfer has ended, or nobody took it', async (callback) =>
      readPlivoDialed(callback, carrier().authToken) ? { do: 'hang_up' } : { do: 'say', text: NOBODY_THERE },
    ),
  ];

  function asking(
    path: string,
    when: string,
    answer: (callback: ReturnType<typeof callbackOf>) => Promise<PlivoInstruction>,
  ): Route {
    return route({
      method: 'post',
      path: `${BASE}/${path}`,
      operationId: `plivo_${path}`,
      tag: 'Internal',
      summary: `${when}; answered with Plivo's XML`,
      auth: 'none',
      bodyLimitBytes: CALLBACK_LIMIT_BYTES,
      responses: { 200: { description: 'What the carrier is to do.', contentType: 'text/xml' } },
      errors: ['invalid_signature', 'malformed_request', 'carrier_error', 'carrier_timeout'],
      handler: async (arrived) => {
        const xml = plivoXml(await answer(callbackOf(arrived, publicUrl)));
        return streamed(
          200,
          (response) => {
            response.end(xml);
          },
          { 'Content-Type': 'text/xml; charset=utf-8' },
        );
      },
    });
  }
}

function instructionOf(answer: InboundAnswer): PlivoInstruction {
  switch (answer.kind) {
    case 'stream': {
      const { callId, streamUrl: url, streamToken: token } = answer;
      return { do: 'stream', callId, url, token };
    }
    case 'say':
      return { do: 'say', text: answer.text };
    case 'hang_up':
      return { do: 'hang_up' };
  }
}
