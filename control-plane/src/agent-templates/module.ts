import type { AgentsService } from '../agents/service.js';
import type { Module } from '../http/module.js';
import { agentTemplateRoutes } from './routes.js';

export function createAgentTemplatesModule({ agents }: { agents: AgentsService }): Module {
  return { name: 'agent-templates', routes: agentTemplateRoutes(agents) };
}
