import { ServiceError } from '@voice/shared/errors/service-error';

/**
 * Creates the error for a session that cannot be taken now: 503 `webrtc_not_available`, with the time left where it is
 * known.
 */
export function webRtcNotAvailable(reason: string, readyInSeconds?: number, cause?: unknown): ServiceError {
  return new ServiceError({
    code: 'webrtc_not_available',
    status: 503,
    message: `WebRTC is not available: ${reason}`,
    cause,
    fields: readyInSeconds === undefined ? {} : { ready_in_seconds: readyInSeconds },
    retryable: true,
    retryAfterSeconds: readyInSeconds === undefined ? undefined : Math.max(1, Math.ceil(readyInSeconds)),
  });
}
