import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { demoAgent } from '@voice/shared/contracts/demo-agent';
import { z } from 'zod';
import { ApiClient, ApiError, createKey } from '../installation/api-client.js';
import type { RunningSystem } from './running-system.js';

const TENANT = 'demo';

/** The demo agents, by what is special about them. */
const DEMO_AGENTS = {
  /** Understands simulated people by their script. */
  usual: demoAgent,
  /** Recognises every word with the machine's own model. */
  recogniser: {
    ...demoAgent,
    name: `${demoAgent.name} (recogniser)`,
    voice_config: {
      ...demoAgent.voice_config,
      stt: { ...demoAgent.voice_config.stt, params: { ears: 'model' } },
    },
  },
} as const;
export type DemoAgentKind = keyof typeof DEMO_AGENTS;

const keptAccess = z.object({
  key: z.string(),
  tenant_id: z.string(),
  /** Ids of the agents that were created, by the hash of what they were made of: a changed one is created anew. */
  agents: z.record(z.string(), z.string()),
});
type KeptAccess = z.infer<typeof keptAccess>;

export interface DemoAccess {
  readonly api: ApiClient;
  readonly tenantId: string;
  /** The demo agent. */
  readonly agentId: string;
}

const withId = z.object({ id: z.string() });

/**
 * Finds or creates a sandbox key of the tenant “demo” and an agent of it: made on the first call, kept in the data
 * directory (for its owner alone), made anew when the system does not know them.
 */
export async function demoAccess(
  system: RunningSystem,
  dataDir: string,
  kind: DemoAgentKind = 'usual',
): Promise<DemoAccess> {
  const path = join(dataDir, 'demo-access.json');
  const keep = (access: KeptAccess) => {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(path, `${JSON.stringify(access, null, 2)}\n`, { mode: 0o600 });
  };
  const known = readKept(path);
  const access = known && (await isKnown(system, known)) ? known : await newAccess(system);
  const api = new ApiClient(system.apiUrl, access.key);
  const agent = DEMO_AGENTS[kind];
  const hash = createHash('sha256').update(JSON.stringify(agent)).digest('hex');
  let agentId = access.agents[hash];
  if (agentId === undefined || !(await isThere(api, agentId))) {
    agentId = (await api.request(withId, 'POST', '/api/v1/agents', agent)).value.id;
    keep({ ...access, agents: { ...access.agents, [hash]: agentId } });
  }
  return { api, tenantId: access.tenant_id, agentId };
}

async function newAccess(system: RunningSystem): Promise<KeptAccess> {
  const { key, tenant_id } = await createKey(system, { name: 'npm run call', sandbox: true, tenant: TENANT });
  return { key, tenant_id, agents: {} };
}

async function isKnown(system: RunningSystem, { key }: KeptAccess): Promise<boolean> {
  return answers(new ApiClient(system.apiUrl, key), '/api/v1/agents?limit=1');
}

function isThere(api: ApiClient, agentId: string): Promise<boolean> {
  return answers(api, `/api/v1/agents/${agentId}`);
}

async function answers(api: ApiClient, path: string): Promise<boolean> {
  try {
    await api.request(z.unknown(), 'GET', path);
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
