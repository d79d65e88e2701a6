import type { Clock } from '@voice/shared/clock/clock';
import { uuid } from '@voice/shared/contracts/primitives';
import { asTenantId, newId, type TenantId } from '@voice/shared/ids/ids';
import { z } from 'zod';
import type { CallsService } from '../calls/calls-service.js';
import type { HangUp } from '../calls/ending/hang-up.js';
import type { TenantRow } from '../identity/tenants/model.js';
import type { TenantsService } from '../identity/tenants/service.js';
import { apiError } from '../platform/http/error-codes.js';
import { queryInt, queryOffset } from '../platform/http/query.js';
import { type Route, reply, route, streamed } from '../platform/http/route.js';
import type { TenantScope } from '../platform/store/tenant-scope.js';
import type { WorkerDocument } from '../workers/model.js';
import type { WorkerRegistry } from '../workers/registry.js';
import { streamCall } from './live/call-stream.js';
import type { LiveCalls } from './live/live-calls.js';
import {
  countryChange,
  drainRequest,
  operatorHangupRequest,
  operatorHangupResponse,
  regionChange,
  tenantDetail,
  tenantSummary,
  workerStatus,
} from './schemas.js';

const tag = 'Operator';
const callParams = z.object({ call_id: uuid });

interface TenantCounts {
  readonly api_keys: number;
  readonly agents: number;
  readonly calls: number;
  readonly live_calls: number;
}

export interface OperatorRoutesOptions {
  readonly calls: CallsService;
  readonly hangUp: HangUp;
  readonly live: LiveCalls;
  readonly tenants: TenantsService;
  readonly workers: WorkerRegistry;
  readonly counts: (tenant: TenantId) => Promise<TenantCounts>;
  readonly clock: Clock;
}

function presentWorker({
  _id,
  missing: _missing,
  last_seen_at,
  held_back,
  storage_full,
  webrtc,
  region,
  ...worker
}: WorkerDocument) {
  return {
    id: _id,
    ...worker,
    region: region ?? null,
    held_back: held_back ?? false,
    storage_full: storage_full ?? false,
    webrtc: webrtc
      ? {
          available: webrtc.available,
          reason: webrtc.reason ?? null,
          ready_at: webrtc.ready_at?.toISOString() ?? null,
        }
      : null,
    last_seen_at: last_seen_at.toISOString(),
  };
}

/** Declares the routes of what the operator of the installation sees and does, over all tenants. */
export function operatorRoutes(options: OperatorRoutesOptions): Route[] {
  return [...tenantRoutes(options), ...workerRoutes(options), ...callRoutes(options)];
}

function tenantRoutes({ tenants, counts }: OperatorRoutesOptions): Route[] {
  const shown = ({ _id, name, country, region, created_at }: TenantRow) => ({
    id: _id,
    name,
    country: country ?? null,
    region: region ?? null,
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
    route({
      method: 'put',
      path: '/internal/tenants/{tenant_id}/country',
      operationId: 'operatorSetTenantCountry',
      tag,
      summary: 'State where a tenant is at home; null takes it back',
      description: 'Verification codes go there, beside the countries of its verified numbers.',
      auth: 'inter_plane',
      params: z.object({ tenant_id: uuid }),
      body: countryChange,
      responses: { 200: { description: 'The tenant.', schema: tenantSummary } },
      errors: ['tenant_not_found'],
      handler: async ({ params, body }) => {
        const tenant = await tenants.setCountry(params.tenant_id, body.country);
        if (!tenant) throw apiError('tenant_not_found');
        return reply(200, shown(tenant));
      },
    }),
    route({
      method: 'put',
      path: '/internal/tenants/{tenant_id}/region',
      operationId: 'operatorSetTenantRegion',
      tag,
      summary: 'State where a tenant’s calls are placed first; null takes it back',
      description: 'At workers whose `WORKER_REGION` is that label, and at others while those have no room.',
      auth: 'inter_plane',
      params: z.object({ tenant_id: uuid }),
      body: regionChange,
      responses: { 200: { description: 'The tenant.', schema: tenantSummary } },
      errors: ['tenant_not_found'],
      handler: async ({ params, body }) => {
        const tenant = await tenants.setRegion(params.tenant_id, body.region);
        if (!tenant) throw apiError('tenant_not_found');
        return reply(200, shown(tenant));
      },
    }),
  ];
}

function workerRoutes({ workers }: OperatorRoutesOptions): Route[] {
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

function callRoutes({ calls, hangUp, live, clock }: OperatorRoutesOptions): Route[] {
  const ownerOf = async (callId: string): Promise<TenantScope> => {
    const owner = await calls.ownerOf(callId);
    if (owner === null) throw apiError('call_not_found');
    return owner;
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
        const owner = await ownerOf(params.call_id);
        const reason = body?.reason === undefined ? {} : { reason: body.reason };
        const asked = { id: newId(), by: 'operator', actor: null, ...reason };
        return reply(202, {
          call_id: params.call_id,
          status: await hangUp.hangUp(owner, params.call_id, asked),
        });
      },
    }),
    route({
      method: 'get',
      path: '/internal/calls/{call_id}/live',
      operationId: 'operatorFollowCall',
      tag,
      summary: 'A call of any tenant as it happens',
      description: 'The same events as `GET /api/v1/calls/{call_id}/live`; ends when the call is over.',
      auth: 'inter_plane',
      params: callParams,
      responses: { 200: { description: 'Server-sent events.', contentType: 'text/event-stream' } },
      errors: ['call_not_found', 'live_limit_reached', 'draining'],
      handler: async ({ params, isStillAdmitted }) => {
        const scope = await ownerOf(params.call_id);
        live.admitViewer(scope, params.call_id);
        return streamed(200, (response) =>
          streamCall(response, {
            live,
            scope,
            callId: params.call_id,
            afterSeq: undefined,
            clock,
            isStillAdmitted,
          }),
        );
      },
    }),
  ];
}
