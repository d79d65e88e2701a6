import { uuid } from '@voice/shared/contracts/primitives';
import { z } from 'zod';
import { queryBoolean, queryCursor, queryInt, queryOffset } from '../platform/http/query.js';
import { noContent, type Route, reply, route } from '../platform/http/route.js';
import { queryIncludeTotal } from '../platform/http/totals.js';
import { providerListResponse } from './provider-list.js';
import {
  agentCreate,
  agentListResponse,
  agentResponse,
  agentUpdate,
  nudgePresetsResponse,
  updateNudgePresetsRequest,
} from './schemas.js';
import type { AgentsService } from './service.js';

const tag = 'Agents';
const params = z.object({ agent_id: uuid });

export function agentRoutes(agents: AgentsService): readonly Route[] {
  return [
    route({
      method: 'post',
      path: '/api/v1/agents',
      operationId: 'createAgent',
      tag,
      summary: 'Create an agent',
      auth: 'tenant',
      body: agentCreate,
      responses: { 201: { description: 'The new agent.', schema: agentResponse } },
      handler: async ({ tenant, resourceId, body, actor }) =>
        reply(201, await agents.create(tenant, resourceId, body, actor)),
    }),
    route({
      method: 'get',
      path: '/api/v1/agents',
      operationId: 'listAgents',
      tag,
      summary: 'List agents',
      auth: 'tenant',
      query: z.object({
        offset: queryOffset,
        limit: queryInt({ min: 1, max: 100, default: 50 }),
        active_only: queryBoolean({ default: true, description: 'Leaves out agents that are switched off.' }),
        cursor: queryCursor,
        include_total: queryIncludeTotal,
      }),
      responses: { 200: { description: 'A page of agents, newest first.', schema: agentListResponse } },
      errors: ['invalid_cursor'],
      handler: async ({ tenant, query }) => reply(200, await agents.list(tenant, query)),
    }),
    route({
      method: 'get',
      path: '/api/v1/providers',
      operationId: 'listProviders',
      tag,
      summary: 'List the canonical providers',
      description:
        'An agent that uses any other is marked `experimental`. Which of them can run, and on whose account, is said ' +
        'of the tenant that asks.',
      auth: 'tenant',
      responses: { 200: { description: 'The provider matrix.', schema: providerListResponse } },
      handler: async ({ tenant }) => reply(200, await agents.providers(tenant)),
    }),
    route({
      method: 'get',
      path: '/api/v1/agents/{agent_id}',
      operationId: 'getAgent',
      tag,
      summary: 'Get an agent',
      auth: 'tenant',
      params,
      responses: { 200: { description: 'The agent.', schema: agentResponse } },
      errors: ['agent_not_found'],
      handler: async ({ tenant, params }) => reply(200, await agents.get(tenant, params.agent_id)),
    }),
    route({
      method: 'patch',
      path: '/api/v1/agents/{agent_id}',
      operationId: 'updateAgent',
      tag,
      summary: 'Change an agent',
      description: 'Takes effect on the next call. Only the given fields change.',
      auth: 'tenant_in_mode',
      params,
      body: agentUpdate,
      responses: { 200: { description: 'The agent after the change.', schema: agentResponse } },
      errors: ['agent_not_found', 'conflict'],
      handler: async ({ tenant, sandbox, actor, params, body }) =>
        reply(200, await agents.update(tenant, params.agent_id, body, { sandbox, actor })),
    }),
    route({
      method: 'delete',
      path: '/api/v1/agents/{agent_id}',
      operationId: 'deleteAgent',
      tag,
      summary: 'Switch an agent off',
      description: 'Sets `is_active` to false. The agent stays readable, and can be switched on again.',
      auth: 'tenant_in_mode',
      params,
      responses: { 204: { description: 'The agent is off.' } },
      errors: ['agent_not_found', 'conflict'],
      handler: async ({ tenant, sandbox, actor, params }) => {
        await agents.deactivate(tenant, params.agent_id, { sandbox, actor });
        return noContent();
      },
    }),
    route({
      method: 'get',
      path: '/api/v1/agents/{agent_id}/nudge-presets',
      operationId: 'getNudgePresets',
      tag,
      summary: "Get an agent's nudge presets",
      description: 'What an operator can have whispered to the agent in a call, by one click.',
      auth: 'tenant',
      params,
      responses: { 200: { description: 'The presets.', schema: nudgePresetsResponse } },
      errors: ['agent_not_found'],
      handler: async ({ tenant, params }) => reply(200, await agents.nudgePresets(tenant, params.agent_id)),
    }),
    route({
      method: 'put',
      path: '/api/v1/agents/{agent_id}/nudge-presets',
      operationId: 'replaceNudgePresets',
      tag,
      summary: "Replace an agent's nudge presets",
      description: 'Replaces the whole list; entries without an id get one.',
      auth: 'tenant_in_mode',
      params,
      body: updateNudgePresetsRequest,
      responses: { 200: { description: 'The presets as they are now.', schema: nudgePresetsResponse } },
      errors: ['agent_not_found', 'conflict'],
      handler: async ({ tenant, sandbox, actor, params, body }) =>
        reply(
          200,
          await agents.replaceNudgePresets(tenant, params.agent_id, body.presets, { sandbox, actor }),
        ),
    }),
  ];
}
