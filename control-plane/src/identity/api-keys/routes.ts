import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { scopeToMakeIn } from '../../platform/http/mode.js';
import { queryCursor, queryInt } from '../../platform/http/query.js';
import { noContent, type Route, reply, route } from '../../platform/http/route.js';
import { queryIncludeTotal } from '../../platform/http/totals.js';
import type { TenantsService } from '../tenants/service.js';
import type { UsersService } from '../users/service.js';
import {
  apiKeyCreateRequest,
  apiKeyCreateResponse,
  apiKeyListResponse,
  internalKeyRequest,
  internalKeyResponse,
} from './schemas.js';
import type { ApiKeysService } from './service.js';

const tag = 'API keys';

export function apiKeyRoutes(keys: ApiKeysService): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/keys',
      operationId: 'listApiKeys',
      tag,
      summary: 'List API keys',
      description:
        'Of the mode of the caller. Metadata only; a key itself is shown once, when it is created.',
      auth: 'tenant_in_mode',
      query: z.object({
        cursor: queryCursor,
        limit: queryInt({ min: 1, max: 100, default: 100 }),
        include_total: queryIncludeTotal,
      }),
      responses: { 200: { description: 'The keys of this mode.', schema: apiKeyListResponse } },
      errors: ['invalid_cursor'],
      handler: async ({ scope, query }) => reply(200, await keys.list(scope, query)),
    }),
    route({
      method: 'post',
      path: '/api/v1/keys',
      operationId: 'createApiKey',
      tag,
      summary: 'Create an API key',
      description:
        'In production also for the sandbox (`sandbox: true`); a sandbox key makes sandbox keys alone.',
      auth: 'tenant_in_mode',
      body: apiKeyCreateRequest,
      // A key speaks for who made it: nobody else gets it by a replay.
      replaysToCredential: true,
      responses: { 201: { description: 'The key, shown once.', schema: apiKeyCreateResponse } },
      errors: ['live_mode_required'],
      handler: async ({ scope, body, resourceId, userId }) =>
        reply(
          201,
          await keys.create(scopeToMakeIn(scope, body.sandbox), {
            id: resourceId,
            name: body.name,
            createdBy: userId,
          }),
        ),
    }),
    route({
      method: 'delete',
      path: '/api/v1/keys/{key_id}',
      operationId: 'deleteApiKey',
      tag,
      summary: 'Delete an API key',
      description: 'For good, and at once.',
      auth: 'tenant_in_mode',
      params: z.object({ key_id: uuid }),
      responses: { 204: { description: 'The key is deleted.' } },
      errors: ['api_key_not_found'],
      handler: async ({ scope, params }) => {
        await keys.delete(scope, params.key_id);
        return noContent();
      },
    }),
  ];
}

/** Declares the route by which the operator of the installation makes a tenant's first key. */
export function internalKeyRoutes(
  keys: ApiKeysService,
  tenants: TenantsService,
  users: UsersService,
): readonly Route[] {
  return [
    route({
      method: 'post',
      path: '/internal/keys',
      operationId: 'createFirstKey',
      tag,
      summary: 'Create a key, and its tenant if it is new',
      description: "The key speaks for the tenant's owner.",
      auth: 'inter_plane',
      body: internalKeyRequest,
      responses: { 201: { description: 'The key, shown once.', schema: internalKeyResponse } },
      handler: async ({ body, resourceId }) => {
        const tenant = await tenants.ensure(body.tenant);
        const { name, sandbox } = body;
        const createdBy = await users.ownerOf(tenant);
        const key = await keys.create({ tenant, sandbox }, { id: resourceId, name, createdBy });
        return reply(201, { ...key, tenant_id: tenant });
      },
    }),
  ];
}
