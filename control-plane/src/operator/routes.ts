import type { Clock } from '@voice/shared/clock/clock';
import { uuid } from '@voice/shared/contracts/primitives';
import { asTenantId, newId, type TenantId } from '@voice/shared/ids/ids';
import { z } from 'zod';
import type { CallsService } from '../calls/calls-service.js';
import type { HangUp } from '../calls/hang-up.js';
import { apiError } from '../http/error-codes.js';
import { queryInt, queryOffset } from '../http/query.js';
import { type Route, reply, route, streamed } from '../http/route.js';
import { EventStream } from '../http/server-sent-events.js';
import type { TenantsService } from '../tenants/service.js';
import type { WorkerDocument } from '../workers/model.js';
import type { WorkerRegistry } from '../workers/registry.js';
import { followCall } from './live-call.js';
import {
  drainRequest,
  operatorHangupRequest,
  operatorHangupResponse,
  tenantDetail,
  tenantSummary,
  workerStatus,
} from './schemas.js';

const tag = 'Operator';
const callParams = z.object({ call_id: uuid });

export interface TenantCounts {
  readonly api_keys: number;
  readonly agents: number;
  readonly calls: number;
  readonly live_calls: number;
}

export interface OperatorRoutesDeps {
  readonly calls: CallsService;
  readonly hangUp: HangUp;
  readonly tenants: TenantsService;
  readonly workers: WorkerRegistry;
  readonly counts: (tenant: TenantId) => Promise<TenantCounts>;
  readonly clock: Clock;
}

function presentWorker({ _id, missing: _missing, last_seen_at, held_back, ...worker }: WorkerDocument) {
  return {
    id: _id,
    ...worker,
    held_back: held_back ?? false,
    last_seen_at: last_seen_at.toISOString(),
  };
}

/** What the operator of the installation sees and does, over all tenants. */
export function operatorRoutes(deps: OperatorRoutesDeps): Route[] {
  return [...tenantRoutes(deps), ...workerRoutes(deps), ...callRoutes(deps)];
}

function tenantRoutes({ tenants, counts }: OperatorRoutesDeps): Route[] {
  const shown = ({ _id, name, created_at }: { _id: string; name: string; created_at: Date }) => ({
    id: _id,
    name,
    created_at: created_at.toISOString(),
  });
  return [
    route({
      method: 'get',
      path: '/internal/tenants',
      operationId: 'operatorListTenants',
      tag,
      summary: 'All tenants',
      auth: 'inter_plane',
      query: z.object({ limit: queryInt({ min: 1, max: 500, default: 100 }), offset: queryOffset }),
      responses: {
        200: { description: 'Newest first.', schema: z.object({ tenants: z.array(tenantSummary) }) },
      },
      handler: async ({ query }) => reply(200, { tenants: (await tenants.list(query)).map(shown) }),
    }),
    route({
      method: 'get',
      path: '/internal/tenants/{tenant_id}',
      operationId: 'operatorGetTenant',
      tag,
      summary: 'A tenant and how much it has',
      auth: 'inter_plane',
      params: z.object({ tenant_id: uuid }),
      responses: { 200: { description: 'The tenant.', schema: tenantDetail } },
      errors: ['tenant_not_found'],
      handler: async ({ params }) => {
        const tenant = await tenants.find(params.tenant_id);
        if (!tenant) throw apiError('tenant_not_found');
        return reply(200, { ...shown(tenant), ...(await counts(asTenantId(tenant._id))) });
      },
    }),
  ];
}

function workerRoutes({ workers }: OperatorRoutesDeps): Route[] {
  return [
    route({
      method: 'get',
      path: '/internal/workers',
      operationId: 'operatorListWorkers',
      tag,
      summary: 'All media workers, as they reported last',
      auth: 'inter_plane',
      responses: { 200: { description: 'By id.', schema: z.object({ workers: z.array(workerStatus) }) } },
      handler: async () => reply(200, { workers: (await workers.all()).map(presentWorker) }),
    }),
    route({
      method: 'post',
      path: '/internal/workers/{worker_id}/drain',
      operationId: 'operatorDrainWorker',
      tag,
      summary: 'Give a worker no new calls, or give it calls again',
      auth: 'inter_plane',
      params: z.object({ worker_id: z.string().min(1).max(128) }),
      body: drainRequest,
      responses: { 200: { description: 'The worker.', schema: workerStatus } },
      errors: ['worker_not_found'],
      handler: async ({ params, body }) => {
        const known = await workers.holdBack(params.worker_id, body.draining);
        const worker = known ? await workers.find(params.worker_id) : null;
        if (!worker) throw apiError('worker_not_found');
        return reply(200, presentWorker(worker));
      },
    }),
  ];
}

function callRoutes({ calls, hangUp, clock }: OperatorRoutesDeps): Route[] {
  const ownerOf = async (callId: string): Promise<TenantId> => {
    const tenant = await calls.tenantOf(callId);
    if (tenant === null) throw apiError('call_not_found');
    return tenant;
  };
  return [
    route({
      method: 'post',
      path: '/internal/calls/{call_id}/hangup',
      operationId: 'operatorHangUp',
      tag,
      summary: 'End a call of any tenant',
      auth: 'inter_plane',
      params: callParams,
      body: operatorHangupRequest,
      responses: { 202: { description: 'It is being ended, or is over.', schema: operatorHangupResponse } },
      errors: ['call_not_found'],
      handler: async ({ params, body }) => {
        const tenant = await ownerOf(params.call_id);
        const reason = body?.reason === undefined ? {} : { reason: body.reason };
        const asked = { id: newId(), by: 'operator', ...reason };
        return reply(202, {
          call_id: params.call_id,
          status: await hangUp.hangUp(tenant, params.call_id, asked),
        });
      },
    }),
    route({
      method: 'get',
      path: '/internal/calls/{call_id}/live',
      operationId: 'operatorFollowCall',
      tag,
      summary: 'A call as it happens: state, transcript and timeline',
      description: 'Events `state`, `turn`, `timeline` and `ping`; ends when the call is over.',
      auth: 'inter_plane',
      params: callParams,
      responses: { 200: { description: 'Server-sent events.', contentType: 'text/event-stream' } },
      errors: ['call_not_found'],
      handler: async ({ params, log }) => {
        const tenant = await ownerOf(params.call_id);
        return streamed(200, async (response) => {
          const gone = new AbortController();
          response.once('close', () => gone.abort());
          const stream = new EventStream(response);
          const { signal } = gone;
          try {
            const detail = calls.detail.bind(calls);
            for await (const { event, data } of followCall({
              detail,
              tenant,
              callId: params.call_id,
              clock,
              signal,
            })) {
              stream.send(event, data);
            }
          } catch (err) {
            // Headers are out: the client sees the stream end and asks again.
            log.warn({ call_id: params.call_id, err }, 'live-call stream broke off');
          }
          stream.end();
        });
      },
    }),
  ];
}
