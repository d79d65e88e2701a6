import {
  HANDOFF_PATH,
  type HandoffReply,
  type HandoffRequest,
  handoffReply,
} from '@voice/shared/contracts/handoff';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { ControlPlaneClient } from './control-plane-client.js';

/** Asks for the agent that a call is to be handed to. Throws, in words for the model, when nobody answers. */
export type RequestHandoff = (request: HandoffRequest, signal: AbortSignal) => Promise<HandoffReply>;

/** What one try may take, in ms: a caller waits for it. */
const TRY_MS = 3000;
const TRIES = 2;

/** Asks the control plane; asks again when it was away, which counts as the same handoff. */
export function createRequestHandoff(client: Pick<ControlPlaneClient, 'send'>): RequestHandoff {
  return async (request, signal) => {
    for (let left = TRIES - 1; ; left--) {
      try {
        const answer = await client.send({
          method: 'POST',
          path: HANDOFF_PATH,
          contentType: 'application/json',
          body: JSON.stringify(request),
          timeoutMs: TRY_MS,
        });
        return handoffReply.parse(answer);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (!error.retryable || left <= 0 || signal.aborted) {
          throw new Error('The other agent could not be asked. Go on with the caller yourself.', {
            cause: error,
          });
        }
      }
    }
  };
}
