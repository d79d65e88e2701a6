import type { AgentTool } from '@voice/shared/contracts/agent';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { parseUrl } from '@voice/shared/egress/guarded-request';
import { ServiceError } from '@voice/shared/errors/service-error';
import { ValidationError } from '../http/validation.js';

/**
 * Throws `ValidationError` for MCP servers that calls could not reach, as far as that can be told without resolving
 * names; that is done with every connection.
 */
export function requireReachable(tools: readonly AgentTool[], policy: AddressPolicy): void {
  for (const [i, tool] of tools.entries()) {
    if (tool.type !== 'mcp') continue;
    try {
      parseUrl(tool.server_url, policy);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const loc = ['body', 'tools', i, 'server_url'];
      throw new ValidationError([{ loc, msg: error.message, type: error.code }]);
    }
  }
}
