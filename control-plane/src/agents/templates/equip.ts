import type { Capability, Way } from './capabilities.js';
import type { AgentTemplate } from './template.js';

/** A tenant's connection, as far as it decides what agents can do with it. */
export interface ConnectedIntegration {
  readonly slug: string;
  /** Whether this installation can connect it. */
  readonly available: boolean;
  readonly connected: boolean;
  readonly config: Readonly<Record<string, unknown>>;
}

/** What became of one capability of a template. */
interface EquippedCapability {
  readonly purpose: string;
  /** Slugs of the integrations that give it, the preferred one first. */
  readonly integrations: string[];
  /** The one that is used; null when the agent goes without. */
  readonly integration: string | null;
  /** Names of the tools that the agent got for it. */
  readonly tools: string[];
  /** What to do for it, when the agent goes without. */
  readonly hint: string | null;
}

export interface Equipment {
  readonly ways: readonly Way[];
  readonly capabilities: EquippedCapability[];
}

/** Finds the capabilities of a template that the tenant's connections give. Pure. */
export function equipment(template: AgentTemplate, connections: readonly ConnectedIntegration[]): Equipment {
  const ways: Way[] = [];
  const capabilities = (template.capabilities ?? []).map((capability): EquippedCapability => {
    const way = capability.ways.find((candidate) => missing(candidate, connections)?.length === 0);
    if (way) ways.push(way);
    return {
      purpose: capability.purpose,
      integrations: capability.ways.map(({ integration }) => integration),
      integration: way?.integration ?? null,
      tools: way?.tools.map(({ name }) => name) ?? [],
      hint: way ? null : hintFor(capability, connections),
    };
  });
  return { ways, capabilities };
}

/** Returns the template with tools and rules for what the tenant has connected. */
export function equipped(template: AgentTemplate, { ways }: Equipment): AgentTemplate {
  if (ways.length === 0) return template;
  const { system_prompt, tools = [] } = template.agent;
  const rules = ways.map(({ rule }) => `- ${rule}`).join('\n');
  return {
    ...template,
    agent: {
      ...template.agent,
      system_prompt: `${system_prompt}\n\nRules for your tools:\n${rules}\n- When a tool fails, apologise, take down what is needed, and promise a call back.`,
      tools: [...tools, ...ways.flatMap((way) => way.tools)],
    },
  };
}

/** Names that its config lacks; undefined when it is not connected. */
function missing(way: Way, connections: readonly ConnectedIntegration[]): readonly string[] | undefined {
  const found = connections.find(({ slug, connected }) => connected && slug === way.integration);
  return found && way.needs.filter((name) => !Object.hasOwn(found.config, name));
}

function hintFor({ ways }: Capability, connections: readonly ConnectedIntegration[]): string {
  for (const way of ways) {
    const names = missing(way, connections);
    if (names) {
      return `Set ${names.join(' and ')} in the config of ${way.integration}, then clone again.`;
    }
  }
  const names = ways.map(({ integration }) => integration);
  const available = names.filter((name) =>
    connections.some((other) => other.slug === name && other.available),
  );
  return available.length > 0
    ? `Connect ${available.join(' or ')}, then clone again.`
    : `This installation can connect none of ${names.join(', ')}.`;
}
