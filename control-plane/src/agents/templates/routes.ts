import type { TenantId } from '@voice/shared/ids/ids';
import { z } from 'zod';
import { apiError } from '../../platform/http/error-codes.js';
import { type Route, reply, route } from '../../platform/http/route.js';
import { WHOLE_LIST } from '../../platform/http/whole-list.js';
import type { AgentsService } from '../service.js';
import { AGENT_TEMPLATES, agentTemplate } from './catalog.js';
import { agentFrom } from './clone.js';
import { type ConnectedIntegration, equipment, equipped } from './equip.js';
import {
  agentTemplateClone,
  agentTemplateCloneResponse,
  agentTemplateListResponse,
  agentTemplateResponse,
  presentTemplate,
} from './schemas.js';
import type { AgentTemplate } from './template.js';

const tag = 'Agents';
const params = z.object({ slug: z.string().min(1).max(64) });

export interface AgentTemplatesOptions {
  readonly agents: AgentsService;
  /** What each tenant has connected. */
  readonly integrations: { list(tenant: TenantId): Promise<readonly ConnectedIntegration[]> };
}

function requireTemplate(slug: string): AgentTemplate {
  const found = agentTemplate(slug);
  if (!found) throw apiError('agent_template_not_found');
  return found;
}

/** Declares the routes of the built-in library of agents. */
export function agentTemplateRoutes({ agents, integrations }: AgentTemplatesOptions): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/agent-templates',
      operationId: 'listAgentTemplates',
      tag,
      summary: 'List the built-in agent templates',
      auth: 'tenant',
      responses: { 200: { description: 'All templates.', schema: agentTemplateListResponse } },
      handler: async () =>
        reply(200, {
          templates: AGENT_TEMPLATES.map(presentTemplate),
          total: AGENT_TEMPLATES.length,
          ...WHOLE_LIST,
        }),
    }),
    route({
      method: 'get',
      path: '/api/v1/agent-templates/{slug}',
      operationId: 'getAgentTemplate',
      tag,
      summary: 'Get an agent template',
      auth: 'tenant',
      params,
      responses: { 200: { description: 'The template.', schema: agentTemplateResponse } },
      errors: ['agent_template_not_found'],
      handler: async ({ params }) => reply(200, presentTemplate(requireTemplate(params.slug))),
    }),
    route({
      method: 'post',
      path: '/api/v1/agent-templates/{slug}/clone',
      operationId: 'cloneAgentTemplate',
      tag,
      summary: 'Make an agent of a template',
      description:
        'The body may be left out. The new agent is yours: it does not change when the template does. Tools ' +
        'that transfer need `changes.transfer_destinations`; without any, the agent promises a call back. Where ' +
        'you have connected an integration that the template can use, the agent gets tools for it and rules how ' +
        'to use them; `integration_tools` lists which, and what to connect for the others. `changes.tools` ' +
        'replaces all of that.',
      auth: 'tenant',
      params,
      body: agentTemplateClone,
      responses: { 201: { description: 'The new agent.', schema: agentTemplateCloneResponse } },
      errors: ['agent_template_not_found'],
      handler: async ({ tenant, actor, resourceId, params, body }) => {
        const template = requireTemplate(params.slug);
        const { variables, changes } = body ?? { variables: {}, changes: {} };
        const wanted = changes.tools ? { ...template, capabilities: [] } : template;
        const equip = equipment(wanted, await integrations.list(tenant));
        const settings = agentFrom(equipped(template, equip), { variables, changes });
        const agent = await agents.create(tenant, resourceId, settings, actor);
        return reply(201, { ...agent, integration_tools: equip.capabilities });
      },
    }),
  ];
}
