import { type Api, dataOf } from '../../../api/client.js';
import { apiErrorOf } from '../../../api/errors.js';
import type { components } from '../../../api/openapi.js';
import type { Agent } from '../../../api/types.js';

/** Makes the demo agent of this installation the tenant's: it needs no key of any vendor. */
export async function createDemoAgent(api: Api): Promise<Agent> {
  const response = await fetch('/talk/demo-agent.json');
  if (!response.ok) throw apiErrorOf(response.status, undefined, (name) => response.headers.get(name));
  const body = (await response.json()) as components['schemas']['AgentCreate'];
  return dataOf(api.POST('/api/v1/agents', { body }));
}
