import type { Module } from '../../platform/module.js';
import { type AgentTemplatesOptions, agentTemplateRoutes } from './routes.js';

export function createAgentTemplatesModule(options: AgentTemplatesOptions): Module {
  return { name: 'agent-templates', routes: agentTemplateRoutes(options) };
}
