import type { Clock } from '@voice/shared/clock/clock';
import type { WebRtcOffer } from '@voice/shared/contracts/webrtc';
import type { TesterCalls } from '../calls/outbound/tester-calls.js';
import { apiError } from '../platform/http/error-codes.js';
import type { IceSettings } from '../platform/settings/ice.js';
import { ownedBy, type TenantScope } from '../platform/store/tenant-scope.js';
import type { OfferOutcome } from '../workers/worker-client.js';
import { iceServersFor } from './ice-servers.js';
import type { SdpAnswer } from './schemas.js';
import type { TestSessionModel, TestSessionRow } from './session-model.js';

export interface WebRtcOffersOptions {
  readonly sessions: TestSessionModel;
  readonly testerCalls: Pick<TesterCalls, 'offer'>;
  /** For offers that name none. */
  readonly ice: IceSettings;
  readonly clock: Clock;
}

/** Hands testers' offers to the workers that hold their sessions. */
export class WebRtcOffers {
  readonly #options: WebRtcOffersOptions;

  constructor(options: WebRtcOffersOptions) {
    this.#options = options;
  }

  /**
   * Returns the worker's answer, unchanged. Throws 404 `test_session_not_found` for an absent, expired or foreign one,
   * 409 `test_session_not_webrtc`, `test_session_ended` and `offer_conflict`, 422 `offer_unusable`, 503
   * `worker_unreachable` and `webrtc_not_available`, 504 `worker_timeout`.
   */
  async offer(scope: TenantScope, sessionId: string, offer: WebRtcOffer): Promise<SdpAnswer> {
    const { sessions, testerCalls, ice, clock } = this.#options;
    const row = await sessions.findOne({ _id: sessionId, ...ownedBy(scope) }).lean<TestSessionRow>();
    if (!row || row.expires_at.getTime() <= clock.now()) throw apiError('test_session_not_found');
    if (row.kind !== 'webrtc') throw apiError('test_session_not_webrtc');
    return answerFrom(
      await testerCalls.offer(scope, sessionId, {
        ...offer,
        ice_servers: offer.ice_servers ?? iceServersFor(ice, sessionId, clock.now()),
      }),
    );
  }
}

/** Translates a worker's answer for the tester. Throws as `WebRtcOffers.offer` does. Pure. */
export function answerFrom(outcome: OfferOutcome): SdpAnswer {
  switch (outcome.kind) {
    case 'answered':
      return outcome.answer;
    case 'refused':
      throw apiError('offer_unusable', outcome.message);
    case 'over':
      throw apiError('test_session_ended');
    case 'conflict':
      throw apiError('offer_conflict', outcome.message, { fields: { reason: outcome.code } });
    case 'unavailable':
      throw apiError('webrtc_not_available', outcome.message, {
        retryable: true,
        retryAfterSeconds: outcome.retryAfterSeconds ?? 5,
      });
    case 'timeout':
      throw apiError('worker_timeout', undefined, { retryable: true, retryAfterSeconds: 1 });
    case 'unreachable':
      throw apiError('worker_unreachable', undefined, {
        cause: outcome.cause,
        retryable: true,
        retryAfterSeconds: 1,
      });
  }
}
