import type { Clock } from '@voice/shared/clock/clock';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { WebRtcAnswer, WebRtcOffer } from '@voice/shared/contracts/webrtc';
import { ServiceError } from '@voice/shared/errors/service-error';
import type { Log } from '@voice/shared/log/log';
import type { AudioPath } from './audio-path.js';
import { PeerConnection } from './peer-connection.js';
import { WebRtcSession, type WebRtcSessionOptions } from './session.js';
import { WebRtcLine } from './webrtc-line.js';

export interface WebRtcLinesOptions {
  readonly host: WebRtcSessionOptions['host'];
  readonly audio: AudioPath;
  readonly clock: Clock;
  readonly log: Log;
  /** The plan of a call that is reserved here for WebRTC; the reservation is used up. */
  readonly claim: (callId: string) => CallPlan | undefined;
  readonly startCall: (plan: CallPlan, line: WebRtcLine) => void;
  readonly openConnection?: WebRtcSessionOptions['openConnection'];
}

/** Opens the calls whose line is a browser: takes their offers and gives the answers. */
export class WebRtcLines {
  readonly #options: WebRtcLinesOptions;
  readonly #sessions = new Map<string, WebRtcSession>();
  /** Calls whose first offer is being answered. */
  readonly #starting = new Map<string, Promise<unknown>>();

  constructor(options: WebRtcLinesOptions) {
    this.#options = options;
  }

  /**
   * Answers an offer for a call: the first one claims its reservation and starts it, later ones renegotiate or
   * restart its connection. @throws ServiceError 404 `call_not_found`, 409 (`pc_id`), 422 `sdp_not_supported`, 503
   * `webrtc_not_available`
   */
  async answerOffer(callId: string, offer: WebRtcOffer): Promise<WebRtcAnswer> {
    // A second offer on the heels of the first finds the session that the first made, or makes it.
    const starting = this.#starting.get(callId);
    if (starting) await starting.catch(() => {});
    const session = this.#sessions.get(callId);
    if (session) return await session.negotiate(offer);
    const started = this.#start(callId, offer);
    this.#starting.set(callId, started);
    try {
      return await started;
    } finally {
      this.#starting.delete(callId);
    }
  }

  /** Ends all sessions and notifies their calls. */
  close(): void {
    for (const session of [...this.#sessions.values()]) session.end();
  }

  /** Connects first and claims afterwards: an offer that cannot be answered costs the call nothing. */
  async #start(callId: string, offer: WebRtcOffer): Promise<WebRtcAnswer> {
    const {
      host,
      clock,
      log,
      audio,
      openConnection = (options) => PeerConnection.open(options),
    } = this.#options;
    const session = new WebRtcSession({
      callId,
      host,
      clock,
      log,
      openConnection,
      onEnded: () => {
        if (this.#sessions.get(callId) === session) this.#sessions.delete(callId);
      },
    });
    try {
      const answer = await session.negotiate({ ...offer, pc_id: undefined, restart_pc: undefined });
      const plan = this.#options.claim(callId);
      if (!plan) throw callNotFound();
      this.#sessions.set(callId, session);
      this.#options.startCall(
        plan,
        new WebRtcLine({ callId, pipeline: plan.agent.pipeline_type, session, audio, clock, log }),
      );
      return answer;
    } catch (error) {
      session.close();
      throw error;
    }
  }
}

const callNotFound = () =>
  new ServiceError({
    code: 'call_not_found',
    status: 404,
    message: 'This worker holds no WebRTC session of this call: it has ended, or was never reserved here.',
  });
