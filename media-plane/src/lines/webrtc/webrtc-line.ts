import { L16_16K, L16_24K } from '@voice/shared/audio/format';
import { FRAME_MS } from '@voice/shared/audio/g711';
import type { Clock } from '@voice/shared/clock/clock';
import type { CallPlan } from '@voice/shared/contracts/call-plan';
import type { Log } from '@voice/shared/log/log';
import type { LineListener, LineStatistics, MediaLine } from '../port.js';
import type { AudioPath, IncomingAudio, OutgoingAudio } from './audio-path.js';
import type { ConnectionFigures } from './peer-connection.js';
import { AGENT_PAYLOAD_TYPE } from './rtp-parameters.js';
import type { SessionListener } from './session.js';

/** A session as its line uses it (`WebRtcSession`). */
export interface LineSession {
  readonly agentSsrc: number;
  readonly isConnected: boolean;
  readonly figures: ConnectionFigures;
  listen(listener: SessionListener): void;
  sendRtp(packet: Uint8Array): void;
  close(): void;
}

export interface WebRtcLineOptions {
  readonly callId: string;
  readonly pipeline: CallPlan['agent']['pipeline_type'];
  readonly session: LineSession;
  readonly audio: AudioPath;
  readonly clock: Clock;
  readonly log: Log;
}

/** Browsers play what comes and take nothing back; two frames bridge a late tick of ours. */
const LEAD_MS = 40;

/**
 * Makes a line of a browser: wide-band linear audio, at the rate that speech-to-speech models take where there is one.
 * While it is not connected it takes no audio of the agent's, so that nothing is said to nobody.
 */
export class WebRtcLine implements MediaLine {
  readonly streamId: string;
  readonly carrierCallId: string;
  readonly format: typeof L16_16K | typeof L16_24K;
  readonly leadMs = LEAD_MS;
  readonly pieceMs = FRAME_MS;
  readonly returnsMarks = false;
  readonly #options: WebRtcLineOptions;
  readonly #outgoing: OutgoingAudio;
  #incoming: IncomingAudio | undefined;
  #closed = false;

  constructor(options: WebRtcLineOptions) {
    const { callId, pipeline, session, audio, clock } = options;
    this.#options = options;
    this.streamId = callId;
    this.carrierCallId = `webrtc-${callId}`;
    this.format = pipeline === 'realtime' ? L16_24K : L16_16K;
    this.#outgoing = audio.createOutgoing({
      sampleRate: this.format.sampleRate,
      ssrc: session.agentSsrc,
      payloadType: AGENT_PAYLOAD_TYPE,
      clock,
      send: (packet) => session.sendRtp(packet),
    });
  }

  listen(listener: LineListener): void {
    const { session, audio, clock } = this.#options;
    const incoming = audio.createIncoming({
      sampleRate: this.format.sampleRate,
      clock,
      onFrame: (frame, positionMs, concealed) => {
        if (!this.#closed) this.#hear(listener, frame, positionMs, concealed);
      },
    });
    this.#incoming = incoming;
    session.listen({
      onRtp: (packet) => {
        if (!this.#closed) incoming.receive(packet);
      },
      onInterrupted: () => listener.onInterrupted?.(),
      onRestored: () => listener.onRestored?.(),
      onClosed: () => {
        if (this.#closed) return;
        this.#release();
        listener.onClosed();
      },
    });
  }

  sendAudio(frame: Uint8Array): boolean {
    if (this.#closed || !this.#options.session.isConnected) return false;
    this.#outgoing.sendFrame(frame);
    return true;
  }

  /** Returns 0: packets leave with the frame they are made of. */
  bufferedMs(): number {
    return 0;
  }

  /** Does nothing: no other side would answer a mark (`returnsMarks`). */
  sendMark(): void {}

  clear(): void {
    if (!this.#closed) this.#outgoing.clear();
  }

  statistics(): LineStatistics {
    const received = this.#incoming?.statistics() ?? NOTHING_RECEIVED;
    return { ...received, ...this.#options.session.figures };
  }

  close(): void {
    if (this.#closed) return;
    this.#release();
    this.#options.session.close();
  }

  /**
   * Calls the listener, and ends the call where that throws: one call's fault must not reach the ticker that all lines
   * share.
   */
  #hear(listener: LineListener, ...heard: Parameters<LineListener['onAudio']>): void {
    try {
      listener.onAudio(...heard);
    } catch (error) {
      const { callId, log } = this.#options;
      log.error({ call_id: callId, error: String(error) }, 'a frame could not be handled');
      this.close();
      listener.onClosed();
    }
  }

  #release(): void {
    this.#closed = true;
    this.#incoming?.close();
    this.#outgoing.close();
  }
}

const NOTHING_RECEIVED = { packetsReceived: 0, packetsLost: 0, concealed: 0, jitterMs: 0, bufferMs: 0 };
