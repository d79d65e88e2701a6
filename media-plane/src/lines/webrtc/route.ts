import type { TemplatedApp } from 'uWebSockets.js';
import { webRtcOffer } from '@voice/shared/contracts/webrtc';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { InterPlaneVerifier } from '@voice/shared/inter-plane/request-verifier';
import { signed } from '../../http/inter-plane.js';
import { handle } from '../../http/responses.js';
import type { WebRtcLines } from './lines.js';

export interface WebRtcRouteOptions {
  readonly lines: Pick<WebRtcLines, 'answerOffer'>;
  readonly verifier: InterPlaneVerifier;
  readonly onError: (error: unknown) => void;
}

/**
 * Adds `POST /control/calls/{id}/webrtc`: a tester's offer, forwarded by the control plane. Every request is signed.
 */
export function addWebRtcRoute(app: TemplatedApp, options: WebRtcRouteOptions): void {
  const { lines, verifier, onError } = options;
  app.post(
    '/control/calls/:id/webrtc',
    handle(
      1,
      signed(verifier, async ({ parameters, body }) => ({
        status: 200,
        body: await lines.answerOffer(parameters[0]!, readBody(body)),
      })),
      onError,
    ),
  );
}

function readBody(body: Buffer) {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new ServiceError({ code: 'malformed_json', status: 400, message: 'The body is not JSON.', cause });
  }
  const parsed = webRtcOffer.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ServiceError({
    code: 'validation_error',
    status: 422,
    message: parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
  });
}
