import type { ProviderKind } from '@voice/shared/catalogue/provider-entry';
import type { z } from 'zod';
import { ProviderError } from './provider-error.js';

/** Creates the error of an agent's params that do not fit: the fields, never what they hold, which may be a key. */
export function invalidParams(kind: ProviderKind, provider: string, error: z.ZodError): ProviderError {
  const fields = error.issues.map((issue) => issue.path.join('.')).join(', ');
  return new ProviderError({
    provider,
    kind,
    code: 'bad_request',
    message: `voice_config.${kind}.params is not valid for ${provider}: ${fields}`,
    retryable: false,
    cause: error,
  });
}
