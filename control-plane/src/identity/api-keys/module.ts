import type { Module } from '../../platform/module.js';
import type { TenantsService } from '../tenants/service.js';
import type { UsersService } from '../users/service.js';
import { apiKeyRoutes, internalKeyRoutes } from './routes.js';
import type { ApiKeysService } from './service.js';

export function createApiKeysModule(options: {
  keys: ApiKeysService;
  tenants: TenantsService;
  users: UsersService;
}): Module {
  return {
    name: 'api-keys',
    routes: apiKeyRoutes(options.keys),
    internalRoutes: internalKeyRoutes(options.keys, options.tenants, options.users),
  };
}
