import type { Module } from '../../platform/module.js';
import type { TenantsService } from '../tenants/service.js';
import type { UsersService } from '../users/service.js';
import { apiKeyRoutes, internalKeyRoutes } from './routes.js';
import type { ApiKeysService } from './service.js';

export function createApiKeysModule(deps: {
  keys: ApiKeysService;
  tenants: TenantsService;
  users: UsersService;
}): Module {
  return {
    name: 'api-keys',
    routes: apiKeyRoutes(deps.keys),
    internalRoutes: internalKeyRoutes(deps.keys, deps.tenants, deps.users),
  };
}
