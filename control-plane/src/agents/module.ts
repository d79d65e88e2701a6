import type { Module } from '../platform/module.js';
import { agentRoutes } from './routes.js';
import type { AgentsService } from './service.js';
import { agentVersionRoutes } from './versions/routes.js';

export function createAgentsModule({ agents }: { agents: AgentsService }): Module {
  return { name: 'agents', routes: [...agentRoutes(agents), ...agentVersionRoutes(agents)] };
}
