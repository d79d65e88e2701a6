import { PRODUCTION_CARRIERS } from '@voice/shared/catalogue/carriers';
import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { queryInt } from '../../platform/http/query.js';
import { noContent, type Route, reply, route } from '../../platform/http/route.js';
import { ValidationError } from '../../platform/http/validation.js';
import { WHOLE_LIST } from '../../platform/http/whole-list.js';
import type { PhoneProvider } from './model.js';
import type { NumberService } from './number-service.js';
import {
  assignAgentRequest,
  availableNumber,
  availableQuery,
  importRequest,
  phoneNumberListResponse,
  phoneNumberResponse,
  presentAvailable,
  presentNumber,
  provisionRequest,
} from './schemas.js';

const tag = 'Phone numbers';
const phoneParams = z.object({ phone_id: uuid });

export function phoneRoutes(numbers: NumberService): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/phones/available',
      operationId: 'searchPhoneNumbers',
      tag,
      summary: 'Search numbers that can be bought',
      auth: 'tenant_in_mode',
      query: availableQuery.extend({ limit: queryInt({ min: 1, max: 20, default: 10 }) }),
      responses: { 200: { description: 'What the carrier sells.', schema: z.array(availableNumber) } },
      errors: ['carrier_error', 'carrier_timeout'],
      handler: async ({ scope, query }) => {
        const provider = carrierOf(scope.sandbox, query.provider, 'query');
        const found = await numbers.search(scope, provider, {
          country: query.country,
          limit: query.limit,
          ...(query.area_code === undefined ? {} : { areaCode: query.area_code }),
        });
        return reply(
          200,
          found.map((number) => presentAvailable(number, provider)),
        );
      },
    }),
    route({
      method: 'get',
      path: '/api/v1/phones',
      operationId: 'listPhoneNumbers',
      tag,
      summary: "List the tenant's numbers",
      description: 'Of the mode of the key: the simulated ones with a sandbox key, else the real ones.',
      auth: 'tenant_in_mode',
      responses: { 200: { description: 'The numbers.', schema: phoneNumberListResponse } },
      handler: async ({ scope }) => {
        const rows = await numbers.list(scope);
        return reply(200, {
          phone_numbers: rows.map(presentNumber),
          total: rows.length,
          ...WHOLE_LIST,
        });
      },
    }),
    buyRoute(numbers, { path: '/api/v1/phones', operationId: 'buyPhoneNumber' }),
    buyRoute(numbers, {
      path: '/api/v1/phones/provision',
      operationId: 'provisionPhoneNumber',
      rateClass: 'dial',
      // Named in the guides; the description lists the other one.
      listed: false,
    }),
    route({
      method: 'post',
      path: '/api/v1/phones/import',
      operationId: 'importPhoneNumber',
      tag,
      summary: 'Bring a number along',
      description: 'Registers a number that the tenant has. Verify it, and it can be dialed with.',
      auth: 'tenant_in_mode',
      body: importRequest,
      responses: { 201: { description: 'The number, not verified.', schema: phoneNumberResponse } },
      errors: ['phone_number_taken', 'carrier_error'],
      handler: async ({ scope, body, resourceId }) => {
        const provider = carrierOf(scope.sandbox, body.provider, 'body');
        return reply(
          201,
          presentNumber(await numbers.import(scope, resourceId, body.phone_number, provider)),
        );
      },
    }),
    route({
      method: 'patch',
      path: '/api/v1/phones/{phone_id}',
      operationId: 'assignAgent',
      tag,
      summary: 'Assign the agent that answers',
      auth: 'tenant_in_mode',
      params: phoneParams,
      body: assignAgentRequest,
      responses: { 200: { description: 'The number.', schema: phoneNumberResponse } },
      errors: ['phone_number_not_found', 'agent_not_found'],
      handler: async ({ scope, params, body }) =>
        reply(200, presentNumber(await numbers.assign(scope, params.phone_id, body.agent_id))),
    }),
    route({
      method: 'delete',
      path: '/api/v1/phones/{phone_id}',
      operationId: 'releasePhoneNumber',
      tag,
      summary: 'Release a number',
      description: 'A number that was bought is released at the carrier too.',
      auth: 'tenant_in_mode',
      params: phoneParams,
      responses: { 204: { description: 'It is gone.' } },
      errors: ['phone_number_not_found', 'phone_number_not_releasable', 'carrier_error', 'carrier_timeout'],
      handler: async ({ scope, params }) => {
        await numbers.release(scope, params.phone_id);
        return noContent();
      },
    }),
  ];
}

/**
 * Finds the carrier that the request means: whatever is listed may be posted back. Throws 422 for a live key that names
 * `simulated`.
 */
function carrierOf(sandbox: boolean, provider: PhoneProvider, place: 'query' | 'body'): PhoneProvider {
  if (sandbox) return 'simulated';
  if (provider !== 'simulated') return provider;
  throw new ValidationError([
    {
      loc: [place, 'provider'],
      msg: `The simulated carrier is for sandbox keys alone. Name ${PRODUCTION_CARRIERS.join(' or ')}, or use a sandbox key.`,
      type: 'value_error',
    },
  ]);
}

function buyRoute(
  numbers: NumberService,
  named: { path: string; operationId: string; rateClass?: 'dial'; listed?: boolean },
): Route {
  return route({
    method: 'post',
    ...named,
    tag,
    summary: 'Buy a number',
    description: 'Bought from the carrier and registered: caller-ID verified and attested A.',
    auth: 'tenant_in_mode',
    body: provisionRequest,
    responses: { 201: { description: 'The number.', schema: phoneNumberResponse } },
    errors: [
      'payment_method_required',
      'credit_exhausted',
      'daily_cap_reached',
      'phone_number_taken',
      'phone_number_unavailable',
      'carrier_error',
      'carrier_timeout',
    ],
    handler: async ({ scope, body, resourceId }) => {
      const provider = carrierOf(scope.sandbox, body.provider, 'body');
      return reply(201, presentNumber(await numbers.buy(scope, resourceId, body.phone_number, provider)));
    },
  });
}
