import { ServiceError } from '../../errors/service-error.js';

type Sdk = typeof import('@modelcontextprotocol/client');

/** The longest reason that a server may give, in characters. */
const MAX_REASON = 300;

/**
 * Explains why a server could not be used, in a sentence for people and models. Nothing of an HTTP answer but its
 * status is shown: servers echo what they were sent, and that holds secrets.
 */
export function failureText(sdk: Sdk, error: unknown): string {
  const egress = causes(error).find((cause) => cause instanceof ServiceError);
  if (egress) return egress.message;
  if (error instanceof sdk.SdkHttpError) return `The server answered with status ${error.status}.`;
  if (error instanceof sdk.ProtocolError) return `The server refused: ${error.message.slice(0, MAX_REASON)}`;
  if (error instanceof sdk.SdkError) {
    switch (error.code) {
      case sdk.SdkErrorCode.RequestTimeout:
        return 'The server did not answer in time.';
      case sdk.SdkErrorCode.InvalidResult:
      case sdk.SdkErrorCode.ClientHttpUnexpectedContent:
        return 'The server does not keep to the protocol.';
      case sdk.SdkErrorCode.EraNegotiationFailed:
        return causes(error).some(unreachable)
          ? 'The server could not be reached.'
          : 'The server does not keep to the protocol.';
    }
  }
  return causes(error).some(unreachable)
    ? 'The server could not be reached.'
    : 'The server could not be used.';
}

/** Returns whether an error is Node's own of sockets and names: those have a system call. */
function unreachable(error: unknown): boolean {
  return error instanceof Error && ('syscall' in error || error instanceof AggregateError);
}

function causes(error: unknown): unknown[] {
  const found: unknown[] = [];
  for (let next = error; next !== undefined && found.length < 10; ) {
    found.push(next);
    next = next instanceof Error ? next.cause : undefined;
  }
  return found;
}
