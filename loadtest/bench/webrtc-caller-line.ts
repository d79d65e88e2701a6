import type { AgentListener, CallerLine } from './caller-line.js';
import type { OpusSpeech } from './opus-speech.js';
import type { Utterance } from './speech.js';
import { type Relay, WebRtcPeer } from './webrtc-peer.js';

/** Opus packets at least this long are speech: the agent's silence takes a few bytes, or nothing at all. */
const SPEECH_BYTES = 25;
/**
 * An agent who was heard and then is not for so long, in ms, has been cut off or has finished: longer than a busy
 * machine holds packets up. That it is noticed late is not measured.
 */
const SILENT_AFTER_MS = 250;
const FRAME_MS = 20;

/** The caller's end of a WebRTC session; plays what it gets at once. */
export class WebRtcCallerLine implements CallerLine {
  readonly #speech: OpusSpeech;
  readonly #listener: AgentListener;
  #peer: WebRtcPeer | undefined;
  #playedUntil = 0;
  #lastHeardAt: number | undefined;

  private constructor(speech: OpusSpeech, listener: AgentListener) {
    this.#speech = speech;
    this.#listener = listener;
  }

  static async open(relay: Relay, speech: OpusSpeech, listener: AgentListener): Promise<WebRtcCallerLine> {
    const line = new WebRtcCallerLine(speech, listener);
    line.#peer = await WebRtcPeer.open(relay, {
      onPacket: (payload, at) => line.#onPacket(payload, at),
      onClosed: listener.onClosed,
    });
    return line;
  }

  get playedUntil(): number {
    return this.#playedUntil;
  }

  isPlaying(now: number): boolean {
    return this.#playedUntil > now;
  }

  sendSpeech(utterance: Utterance, frame: number, now: number): void {
    this.#send(this.#speech.packet(utterance, frame), now);
  }

  sendSilence(now: number): void {
    this.#send(this.#speech.silence, now);
  }

  close(): void {
    this.#peer?.close();
  }

  #send(packet: Uint8Array, now: number): void {
    this.#peer?.send(packet);
    // Nothing says “clear” here: silence does, from the end of what came last.
    if (this.#lastHeardAt !== undefined && now - this.#lastHeardAt > SILENT_AFTER_MS) {
      const endedAt = this.#lastHeardAt + FRAME_MS;
      this.#lastHeardAt = undefined;
      this.#listener.onClear(endedAt);
    }
  }

  #onPacket(payload: Buffer, at: number): void {
    if (payload.length < SPEECH_BYTES) return;
    this.#lastHeardAt = at;
    this.#playedUntil = Math.max(this.#playedUntil, at) + FRAME_MS;
    // RTP goes to the browser's jitter buffer, which the bench does not play.
    this.#listener.onAudio(at, FRAME_MS, 0);
  }
}
