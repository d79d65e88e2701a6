import type { AgentTool, ProviderChoice, VoiceConfig } from '@voice/shared/contracts/agent';
import { z } from 'zod';
import { filledHeaders, type GivenHeaders, type SecretHeaders } from './secret-headers.js';
import type { VoiceConfigInput } from './voice-config.js';

/** The parts of an agent that may hold a secret. */
export interface SecretBearing {
  readonly tools: readonly AgentTool[];
  readonly voice_config: VoiceConfig;
  /** Of the pipeline that the agent is not of at present. */
  readonly parked_voice_config?: VoiceConfigInput;
  readonly fallback_voice_config: { readonly [kind: string]: ProviderChoice | undefined };
}

/** Secrets by where they belong; the place names the tool or the provider, so that they move with it. */
export type AgentSecrets = Readonly<Record<string, string>>;

const API_KEY = 'api_key';
const secretHeaders = z.record(z.string(), z.string());

type Visit = (place: string, secret: string | undefined) => string | undefined;

function visitChoice(place: string, choice: ProviderChoice, visit: Visit): ProviderChoice {
  const { [API_KEY]: key, ...params } = choice.params;
  const { base_url: url } = choice.params;
  // Of one server: another origin must not be sent what was meant for this one.
  const origin = typeof url === 'string' && URL.canParse(url) ? `/${new URL(url).origin}` : '';
  const secret = visit(`${place}/${choice.provider}${origin}`, typeof key === 'string' ? key : undefined);
  return { ...choice, params: secret === undefined ? params : { ...params, [API_KEY]: secret } };
}

function visitChoices<T extends object>(place: string, choices: T, visit: Visit): T {
  const visited = Object.entries(choices).map(([kind, choice]: [string, ProviderChoice | undefined]) => [
    kind,
    choice && visitChoice(`${place}/${kind}`, choice, visit),
  ]);
  return Object.fromEntries(visited) as T;
}

/** Where the headers of one server are kept. */
const headersPlace = (tool: string, url: string) => `tools/${tool}/${new URL(url).origin}`;

/** Visits the headers of one server. */
function visitHeaders(tool: string, url: string, given: SecretHeaders | undefined, visit: Visit) {
  const headers = visit(headersPlace(tool, url), given && JSON.stringify(given));
  return headers === undefined ? undefined : secretHeaders.parse(JSON.parse(headers));
}

function visitTool(tool: AgentTool, visit: Visit): AgentTool {
  switch (tool.type) {
    case 'http': {
      const { secret: key, secret_headers: headers, ...rest } = tool;
      const secret = visit(`tools/${tool.name}`, key);
      const secret_headers = visitHeaders(tool.name, tool.url, headers, visit);
      return {
        ...rest,
        ...(secret === undefined ? {} : { secret }),
        ...(secret_headers === undefined ? {} : { secret_headers }),
      };
    }
    case 'mcp': {
      const { secret_headers: given, ...rest } = tool;
      const secret_headers = visitHeaders(tool.name, tool.server_url, given, visit);
      return secret_headers === undefined ? rest : { ...rest, secret_headers };
    }
    default:
      return tool;
  }
}

/** Fills secret headers that are named without a value, and drops the names that are only shown. */
function withHeaders(tool: AgentTool, index: number, before: AgentSecrets): AgentTool {
  if (tool.type !== 'http' && tool.type !== 'mcp') return tool;
  const { secret_header_names: _shown, ...rest } = tool as typeof tool & { secret_header_names?: unknown };
  const given: GivenHeaders | undefined = tool.secret_headers;
  if (given === undefined) return rest;
  const stored = before[headersPlace(tool.name, tool.type === 'http' ? tool.url : tool.server_url)];
  const filled = filledHeaders(given, stored === undefined ? {} : secretHeaders.parse(JSON.parse(stored)), [
    'body',
    'tools',
    index,
  ]);
  return { ...rest, secret_headers: filled };
}

function visitSecrets<T extends SecretBearing>(agent: T, visit: Visit): T {
  return {
    ...agent,
    tools: agent.tools.map((tool) => visitTool(tool, visit)),
    voice_config: visitChoices('voice_config', agent.voice_config, visit),
    // At the same places as if they were in use, so that secrets stay when the pipeline changes.
    ...(agent.parked_voice_config
      ? { parked_voice_config: visitChoices('voice_config', agent.parked_voice_config, visit) }
      : {}),
    fallback_voice_config: visitChoices('fallback_voice_config', agent.fallback_voice_config, visit),
  };
}

/**
 * Takes the secrets out. One that is left out at a place that had one before is kept: a client that
 * changes what it was shown, and sends it back, does not lose what it was not shown. Throws `ValidationError` for a
 * header that is to stay and is not there.
 */
export function withoutSecrets<T extends SecretBearing>(
  agent: T,
  before: AgentSecrets = {},
): { open: T; secrets: AgentSecrets } {
  const secrets: Record<string, string> = {};
  const whole = { ...agent, tools: agent.tools.map((tool, index) => withHeaders(tool, index, before)) };
  const open = visitSecrets(whole, (place, secret) => {
    const kept = secret ?? before[place];
    if (kept !== undefined) secrets[place] = kept;
    return undefined;
  });
  return { open, secrets };
}

/** Puts the secrets back where they belong, for a call. */
export function withSecrets<T extends SecretBearing>(open: T, secrets: AgentSecrets): T {
  return visitSecrets(open, (place) => secrets[place]);
}
