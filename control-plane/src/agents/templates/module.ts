import type { Module } from '../../platform/module.js';
import { type AgentTemplatesDeps, agentTemplateRoutes } from './routes.js';

export function createAgentTemplatesModule(deps: AgentTemplatesDeps): Module {
  return { name: 'agent-templates', routes: agentTemplateRoutes(deps) };
}
