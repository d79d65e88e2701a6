import type { AgentTool } from '@voice/shared/contracts/agent';
import { ValidationError } from '../platform/http/validation.js';

/** A tool's secret headers as a client gives them: a value, or null for the one that is stored under the name. */
export type GivenHeaders = Readonly<Record<string, string | null>>;
export type SecretHeaders = Readonly<Record<string, string>>;

/**
 * Returns the headers with what is stored in place of null. Pure. Throws `ValidationError` at `place` where nothing is
 * stored under such a name.
 */
export function filledHeaders(
  given: GivenHeaders,
  stored: SecretHeaders,
  place: readonly (string | number)[],
): SecretHeaders {
  const kept = (name: string) => (Object.hasOwn(stored, name) ? stored[name] : undefined);
  const filled = Object.entries(given).map(([name, value]) => [name, value ?? kept(name)] as const);
  const missing = filled.filter(([, value]) => value === undefined);
  if (missing.length > 0) {
    const msg =
      'No header of this name is stored for this tool and its server. Give its value, or leave it out.';
    throw new ValidationError(
      missing.map(([name]) => ({ loc: [...place, 'secret_headers', name], msg, type: 'value_error' })),
    );
  }
  return Object.fromEntries(filled) as SecretHeaders;
}

/** Returns a tool as it is shown, with the names of the secret headers that the whole of it has. Pure. */
export function withHeaderNames(shown: AgentTool, whole: AgentTool): AgentTool {
  if ((whole.type !== 'http' && whole.type !== 'mcp') || whole.secret_headers === undefined) return shown;
  const names = { secret_header_names: Object.keys(whole.secret_headers).sort() };
  return { ...shown, ...names };
}
