import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { queryCursor, queryInt } from '../../platform/http/query.js';
import { type Route, reply, route } from '../../platform/http/route.js';
import { agentResponse } from '../schemas.js';
import type { AgentsService } from '../service.js';
import { agentVersionDiffResponse, agentVersionListResponse, agentVersionResponse } from './schemas.js';
import { KEPT_VERSIONS } from './versions.js';

const tag = 'Agents';
const MAX_VERSION = 1_000_000_000;
const agentParams = z.object({ agent_id: uuid });
const params = agentParams.extend({
  version: z.coerce.number().int().min(1).max(MAX_VERSION).describe('The version, a number from 1.'),
});

export function agentVersionRoutes(agents: AgentsService): readonly Route[] {
  const { versions } = agents;
  return [
    route({
      method: 'get',
      path: '/api/v1/agents/{agent_id}/versions',
      operationId: 'listAgentVersions',
      tag,
      summary: "List an agent's versions",
      description: `Every save is one. Kept are the one in force and the last ${KEPT_VERSIONS} before it.`,
      auth: 'tenant',
      params: agentParams,
      query: z.object({ limit: queryInt({ min: 1, max: 100, default: 50 }), cursor: queryCursor }),
      responses: {
        200: { description: 'A page of versions, the newest first.', schema: agentVersionListResponse },
      },
      errors: ['agent_not_found', 'invalid_cursor'],
      handler: async ({ tenant, params, query }) =>
        reply(200, await versions.list(tenant, params.agent_id, query)),
    }),
    route({
      method: 'get',
      path: '/api/v1/agents/{agent_id}/versions/{version}',
      operationId: 'getAgentVersion',
      tag,
      summary: 'Get a version of an agent',
      auth: 'tenant',
      params,
      responses: { 200: { description: 'The agent as it was.', schema: agentVersionResponse } },
      errors: ['agent_not_found', 'agent_version_not_found'],
      handler: async ({ tenant, params }) =>
        reply(200, await versions.get(tenant, params.agent_id, params.version)),
    }),
    route({
      method: 'get',
      path: '/api/v1/agents/{agent_id}/versions/{version}/diff',
      operationId: 'diffAgentVersions',
      tag,
      summary: 'Compare two versions of an agent',
      auth: 'tenant',
      params,
      query: z.object({
        to: z.coerce
          .number()
          .int()
          .min(1)
          .max(MAX_VERSION)
          .optional()
          .describe('The other version; the one in force where it is left out.'),
      }),
      responses: { 200: { description: 'The fields that differ.', schema: agentVersionDiffResponse } },
      errors: ['agent_not_found', 'agent_version_not_found'],
      handler: async ({ tenant, params, query }) =>
        reply(200, await versions.diff(tenant, params.agent_id, params.version, query.to)),
    }),
    route({
      method: 'post',
      path: '/api/v1/agents/{agent_id}/versions/{version}/restore',
      operationId: 'restoreAgentVersion',
      tag,
      summary: 'Restore a version of an agent',
      description:
        'Makes an earlier version the one in force, as a new version. Takes effect on the next call. Whether the ' +
        'agent is active stays as it is. Secrets are those that it has now: a tool or a provider that has come back ' +
        'needs its secret again.',
      auth: 'tenant_in_mode',
      params,
      responses: { 200: { description: 'The agent as it is now.', schema: agentResponse } },
      errors: ['agent_not_found', 'agent_version_not_found', 'conflict'],
      handler: async ({ tenant, sandbox, actor, params }) =>
        reply(200, await agents.restore(tenant, params.agent_id, params.version, { sandbox, actor })),
    }),
  ];
}
