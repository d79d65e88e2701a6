import type { AgentTool, ProviderChoice } from '@voice/shared/contracts/agent';
import { openAiParams } from '@voice/shared/contracts/openai-params';
import type { AddressPolicy } from '@voice/shared/egress/address-policy';
import { parseUrl } from '@voice/shared/egress/guarded-request';
import { ServiceError } from '@voice/shared/errors/service-error';
import { type ValidationDetail, ValidationError, validationDetails } from '../http/validation.js';
import type { VoiceConfigInput } from './voice-config.js';

/** What of an agent leads out of this installation, as far as a request gives it. */
export interface OutsideWorld {
  readonly tools?: readonly AgentTool[];
  readonly voice_config?: VoiceConfigInput;
  readonly fallback_voice_config?: VoiceConfigInput;
}

/**
 * Throws `ValidationError` for tools and language models that calls could not use: addresses that must not be
 * reached (as far as that can be told without resolving names; that is done with every connection), headers
 * and parameters that cannot be sent.
 */
export function requireUsable(agent: OutsideWorld, policy: AddressPolicy): void {
  const mistakes = [
    ...(agent.tools ?? []).flatMap((tool, i) => toolMistakes(tool, ['body', 'tools', i], policy)),
    ...modelMistakes(agent.voice_config?.llm, ['body', 'voice_config', 'llm', 'params'], policy),
    ...modelMistakes(
      agent.fallback_voice_config?.llm,
      ['body', 'fallback_voice_config', 'llm', 'params'],
      policy,
    ),
  ];
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
      return mistakes;
    }
    default:
      return [];
  }
}

/** A token (RFC 9110, 5.6.2), and what of a field value every server takes. */
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;

function modelMistakes(
  choice: ProviderChoice | undefined,
  place: Place,
  policy: AddressPolicy,
): ValidationDetail[] {
  if (choice?.provider !== 'openai') return [];
  const params = openAiParams.safeParse(choice.params);
  if (!params.success) {
    return validationDetails('body', choice.params, params.error).map(({ loc, ...rest }) => ({
      loc: [...place, ...loc.slice(1)],
      ...rest,
    }));
  }
  const { base_url } = params.data;
  return base_url === undefined ? [] : addressMistakes(base_url, [...place, 'base_url'], policy);
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
