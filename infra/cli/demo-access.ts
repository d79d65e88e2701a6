import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoAgent } from '@voice/shared/contracts/demo-agent';
import { z } from 'zod';
import { ApiClient, ApiError, createKey } from './api-client.js';
import type { RunningSystem } from './running-system.js';

const TENANT = 'demo';

const keptAccess = z.object({
  key: z.string(),
  tenant_id: z.string(),
  agent_id: z.string(),
  /** Hash of the demo agent that was created, so that a changed one is created anew. */
  agent_hash: z.string(),
});
type KeptAccess = z.infer<typeof keptAccess>;

export interface DemoAccess {
  readonly api: ApiClient;
  readonly tenantId: string;
  /** The demo agent. */
  readonly agentId: string;
}

const withId = z.object({ id: z.string() });
const agentHash = createHash('sha256').update(JSON.stringify(demoAgent)).digest('hex');

/**
 * A sandbox key of the tenant “demo” and its agent: made on the first call, kept in the data directory
 * (for its owner alone), made anew when the system does not know them.
 */
export async function demoAccess(system: RunningSystem, dataDir: string): Promise<DemoAccess> {
  const path = join(dataDir, 'demo-access.json');
  const kept = readKept(path);
  if (kept && (await isKnown(system, kept))) return open(system, kept);
  const { key, tenant_id } = await createKey(system, { name: 'npm run call', sandbox: true, tenant: TENANT });
  const api = new ApiClient(system.apiUrl, key);
  const agent = (await api.request(withId, 'POST', '/api/v1/agents', demoAgent)).value;
  const made = { key, tenant_id, agent_id: agent.id, agent_hash: agentHash };
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(path, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
  return open(system, made);
}

function open(system: RunningSystem, kept: KeptAccess): DemoAccess {
  return { api: new ApiClient(system.apiUrl, kept.key), tenantId: kept.tenant_id, agentId: kept.agent_id };
}

async function isKnown(system: RunningSystem, kept: KeptAccess): Promise<boolean> {
  if (kept.agent_hash !== agentHash) return false;
  try {
    await open(system, kept).api.request(withId, 'GET', `/api/v1/agents/${kept.agent_id}`);
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 404)) return false;
    throw error;
  }
}

function readKept(path: string): KeptAccess | undefined {
  try {
    return keptAccess.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
