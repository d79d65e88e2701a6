import { ServiceError } from '@voice/shared/errors/service-error';
import type { InterPlaneVerifier } from '@voice/shared/inter-plane/request-verifier';
import type { Answer, ReceivedRequest } from './responses.js';

/** Wraps a handler so that it gets the control plane's own requests alone, each once; 401 for all others. */
export function signed<A extends Answer | Promise<Answer>>(
  verifier: InterPlaneVerifier,
  handler: (request: ReceivedRequest) => A,
): (request: ReceivedRequest) => A {
  return (request) => {
    if (!verifier.accepts(request, request.body)) {
      throw new ServiceError({
        code: 'invalid_inter_plane_token',
        status: 401,
        message:
          'The inter-plane token is missing, expired, used already or made for another request. Check INTERNAL_SECRET and the clocks of both planes.',
      });
    }
    return handler(request);
  };
}
