import { ServiceError } from '@voice/shared/errors/service-error';

/**
 * Creates the error for an offer that cannot be answered: 422 `sdp_not_supported`. `message` says what is wrong and
 * what to offer.
 */
export function sdpNotSupported(message: string, cause?: unknown): ServiceError {
  return new ServiceError({ code: 'sdp_not_supported', status: 422, message, cause });
}
