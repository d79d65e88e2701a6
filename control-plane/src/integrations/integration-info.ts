import type { IntegrationSettings } from '../platform/settings/integrations.js';
import type { Adapter } from './adapter.js';
import { parametersOf } from './catalog.js';
import { readConfig } from './connections.js';
import type { ConnectionRow } from './model.js';
import type { IntegrationInfo } from './schemas.js';

/** Shows an integration, and the tenant's connection to it where there is one. */
export function integrationInfo(
  settings: IntegrationSettings,
  adapter: Adapter,
  row: ConnectionRow | null,
): IntegrationInfo {
  return {
    slug: adapter.slug,
    name: adapter.name,
    description: adapter.description,
    connection_kind: adapter.kind,
    available: adapter.kind === 'api_key' || settings[adapter.vendor].client !== undefined,
    fields:
      adapter.kind === 'oauth'
        ? []
        : Object.entries(adapter.fields.shape).map(([name, { description = '' }]) => ({
            name,
            description,
          })),
    status: row === null ? 'not_connected' : row.broken ? 'reconnect_needed' : 'connected',
    connected: row !== null,
    account: row?.account ?? null,
    connected_at: row?.connected_at.toISOString() ?? null,
    config: row ? readConfig(row) : {},
    config_hint: adapter.configHint,
    actions: adapter.actions.map((action) => ({
      name: action.name,
      description: action.description,
      parameters: parametersOf(action),
    })),
  };
}
