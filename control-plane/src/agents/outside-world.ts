import { ownAccount } from '@voice/shared/catalogue/provider-entry';
import { findProvider, PROVIDER_KINDS, type ProviderKind, paramsOf } from '@voice/shared/catalogue/providers';
import type { AgentTool, ProviderChoice } from '@voice/shared/contracts/agent';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { parseUrl } from '@voice/shared/egress/guarded-request';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { JsonProblem, JsonSchema } from '@voice/shared/json-schema/json-schema';
import { schemaProblems } from '@voice/shared/json-schema/supported-schema';
import { z } from 'zod';
import { type ValidationDetail, ValidationError, validationDetails } from '../platform/http/validation.js';
import { extractionProblems } from './extraction-schema.js';
import type { VoiceConfigInput } from './voice-config.js';

/** What of an agent can be well-formed and yet of no use to its calls, as far as a request gives it. */
export interface OutsideWorld {
  readonly extraction_schema?: JsonSchema | null;
  readonly tools?: readonly AgentTool[];
  readonly voice_config?: VoiceConfigInput;
  readonly fallback_voice_config?: VoiceConfigInput;
}

/**
 * Throws `ValidationError` for tools, providers' parameters and schemas that calls could not use: addresses that must
 * not be reached (as far as that is known without resolving names; that is done with every connection), headers
 * and parameters that cannot be sent, JSON Schemas that are not supported.
 */
export function requireUsable(agent: OutsideWorld, policy: AddressPolicy): void {
  const mistakes = [
    ...schemaMistakes(extractionProblems(agent.extraction_schema ?? {}), [
      'body',
      'analysis',
      'extraction_schema',
    ]),
    ...(agent.tools ?? []).flatMap((tool, i) => toolMistakes(tool, ['body', 'tools', i], policy)),
    ...voiceMistakes(agent.voice_config, ['body', 'voice_config'], policy),
    ...voiceMistakes(agent.fallback_voice_config, ['body', 'fallback_voice_config'], policy),
  ];
  if (mistakes.length > 0) throw new ValidationError(mistakes);
}

/** Throws `ValidationError` for one tool, in a request's `tool`, that calls could not use. */
export function requireUsableTool(tool: AgentTool, policy: AddressPolicy): void {
  const mistakes = toolMistakes(tool, ['body', 'tool'], policy);
  if (mistakes.length > 0) throw new ValidationError(mistakes);
}

type Place = readonly (string | number)[];

function toolMistakes(tool: AgentTool, place: Place, policy: AddressPolicy): ValidationDetail[] {
  switch (tool.type) {
    case 'mcp':
      return addressMistakes(tool.server_url, [...place, 'server_url'], policy);
    case 'http': {
      const mistakes = addressMistakes(tool.url, [...place, 'url'], policy);
      for (const [name, value] of Object.entries(tool.headers)) {
        if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) {
          const msg = 'must be the name and the value of an HTTP header, in printable ASCII';
          mistakes.push({ loc: [...place, 'headers', name], msg, type: 'value_error' });
        }
      }
      if (tool.parameters.type !== 'object') {
        const msg = 'must be a JSON Schema of the type object';
        mistakes.push({ loc: [...place, 'parameters', 'type'], msg, type: 'value_error' });
      }
      mistakes.push(...schemaMistakes(schemaProblems(tool.parameters), [...place, 'parameters']));
      return mistakes;
    }
    default:
      return [];
  }
}

function schemaMistakes(problems: readonly JsonProblem[], place: Place): ValidationDetail[] {
  return problems.map(({ path, message }) => ({
    loc: [...place, ...path],
    msg: message,
    type: 'value_error',
  }));
}

/** A token (RFC 9110, 5.6.2), and what of a field value every server takes. */
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;

/**
 * Lists mistakes in the choice of providers: `params` that the provider would refuse, and servers that must not be
 * reached.
 */
function voiceMistakes(
  choices: VoiceConfigInput | undefined,
  place: Place,
  policy: AddressPolicy,
): ValidationDetail[] {
  return PROVIDER_KINDS.flatMap((kind) => {
    const choice = choices?.[kind];
    return choice ? paramsMistakes(kind, choice, [...place, kind, 'params'], policy) : [];
  });
}

function paramsMistakes(
  kind: ProviderKind,
  { provider, model, params }: ProviderChoice,
  place: Place,
  policy: AddressPolicy,
): ValidationDetail[] {
  const entry = findProvider(kind, provider);
  // Of a provider that is not in the catalogue only this is known: where a session would be, and with what key.
  const schema: z.ZodObject = entry
    ? paramsOf(entry, model)
    : kind === 'realtime'
      ? ownAccount
      : z.object({});
  const parsed = schema.safeParse(params);
  if (!parsed.success) {
    return validationDetails('body', params, parsed.error).map(({ loc, ...rest }) => ({
      loc: [...place, ...loc.slice(1)],
      ...rest,
    }));
  }
  const { base_url: url } = parsed.data;
  return typeof url === 'string' ? addressMistakes(url, [...place, 'base_url'], policy) : [];
}

function addressMistakes(url: string, loc: Place, policy: AddressPolicy): ValidationDetail[] {
  try {
    parseUrl(url, policy);
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return [{ loc, msg: error.message, type: error.code }];
  }
}
