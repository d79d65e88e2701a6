import { parseOrRefuse } from '../../platform/http/validation.js';
import { applyPatch } from '../patch.js';
import { type AgentCreate, type AgentUpdate, agentSettings } from '../schemas.js';
import type { AgentTemplate } from './template.js';

export type CloneVariables = Readonly<Record<string, string>>;

/** Writes what is known into every text; the names that are left stay for the calls to give. */
function fill(value: unknown, variables: CloneVariables): unknown {
  if (typeof value === 'string') {
    return value.replace(/\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g, (whole, name: string) =>
      Object.hasOwn(variables, name) ? variables[name]! : whole,
    );
  }
  if (Array.isArray(value)) return value.map((entry) => fill(entry, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, fill(entry, variables)]));
}

/** Makes the agent of a template, changed as the tenant wishes. Its metadata say where it came from. */
export function agentFrom(
  template: AgentTemplate,
  { variables, changes }: { readonly variables: CloneVariables; readonly changes: AgentUpdate },
): AgentCreate {
  const { voice_config, ...fields } = changes;
  const settings = agentSettings.parse(fill(template.agent, variables));
  const changed = parseOrRefuse(agentSettings, 'body', applyPatch(agentSettings, settings, fields));
  return {
    ...changed,
    metadata: { template: template.slug, ...changed.metadata },
    voice_config: voice_config ?? {},
  };
}
