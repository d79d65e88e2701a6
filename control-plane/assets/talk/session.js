import { ApiError, api } from './api.js';
import { recovery } from './controls.js';
import { endsCall, LIVE_EVENT_TYPES } from './conversation.js';

/** Candidates that are not there by then do not keep the offer waiting. */
const GATHER_WITHIN_MS = 2000;
/** How long the service has to notice that the connection was closed, before the call is hung up by the API. */
const HANG_UP_WITHIN_MS = 2500;
const STATISTICS_EVERY_MS = 2000;
const LISTEN_AGAIN_MS = 2000;

/** One call with an agent: its connection, kept alive, and its live events. */
export class TalkSession {
  #microphone;
  #on;
  #id;
  #iceServers;
  #connection;
  #pcId;
  #events;
  #restarts = 0;
  #recovering = false;
  #recoveryTimer;
  #statisticsTimer;
  #over = false;
  /** The service has said that the call is over. */
  #hasEnded = false;

  /**
   * `on`: `onState('connecting' | 'live' | 'reconnecting')`, `onVoice(stream)`, `onEvent(liveEvent)`,
   * `onStatistics(figures)`, `onLost()`.
   */
  constructor(microphone, on) {
    this.#microphone = microphone;
    this.#on = on;
  }

  get id() {
    return this.#id;
  }

  /** Makes the session and connects. Throws `ApiError`. */
  async start(agentId) {
    this.#on.onState('connecting');
    const made = await api('POST', `/api/v1/agents/${encodeURIComponent(agentId)}/test/webrtc`, {});
    this.#id = made.session_id;
    this.#iceServers = made.ice_servers ?? [];
    // Closed meanwhile: the place at the worker is given back by itself.
    if (this.#over) return;
    await Promise.all([this.#connect({}), this.#listen()]);
    this.#statisticsTimer = setInterval(() => void this.#look(), STATISTICS_EVERY_MS);
  }

  mute(muted) {
    for (const track of this.#microphone.getAudioTracks()) track.enabled = !muted;
  }

  /** Says goodbye: closes the connection, and hangs up where that goes unnoticed. */
  hangUp() {
    this.#disconnect();
    setTimeout(() => void this.#makeSure(), HANG_UP_WITHIN_MS);
  }

  /** Ends everything on this side. Idempotent. */
  close() {
    this.#disconnect();
    this.#events?.close();
  }

  #disconnect() {
    this.#over = true;
    clearTimeout(this.#recoveryTimer);
    clearInterval(this.#statisticsTimer);
    this.#connection?.close();
    for (const track of this.#microphone.getTracks()) track.stop();
  }

  async #makeSure() {
    if (this.#id === undefined || this.#hasEnded) return;
    try {
      await api('POST', `/api/v1/calls/${this.#id}/hangup`, {});
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  /** A new connection, for the call as it is or for a new one. */
  async #connect(more) {
    const connection = new RTCPeerConnection({ iceServers: this.#iceServers });
    const previous = this.#connection;
    this.#connection = connection;
    connection.addEventListener('track', ({ track, streams }) => {
      this.#on.onVoice(streams[0] ?? new MediaStream([track]));
    });
    connection.addEventListener('connectionstatechange', () => {
      if (this.#connection === connection) this.#watch(connection);
    });
    for (const track of this.#microphone.getAudioTracks()) connection.addTrack(track, this.#microphone);
    try {
      await this.#offer(connection, {}, more);
    } finally {
      // Not before the answer: closing the connection that the call is on would end the call.
      previous?.close();
    }
  }

  async #offer(connection, options, more) {
    await connection.setLocalDescription(await connection.createOffer(options));
    await gathered(connection);
    if (this.#over || this.#connection !== connection) return;
    const { sdp, type } = connection.localDescription;
    const answer = await api('POST', `/api/v1/test-sessions/${this.#id}/offer`, { sdp, type, ...more });
    if (this.#over || this.#connection !== connection) return;
    this.#pcId = answer.pc_id;
    await connection.setRemoteDescription({ type: answer.type, sdp: answer.sdp });
  }

  #watch(connection) {
    const state = connection.connectionState;
    if (state === 'connected') {
      clearTimeout(this.#recoveryTimer);
      this.#restarts = 0;
      this.#on.onState('live');
    } else this.#recover(state);
  }

  #recover(state) {
    if (this.#over || this.#recovering) return;
    const todo = recovery(state, this.#restarts);
    if (todo === null) return;
    if (todo.kind === 'give_up') {
      this.#on.onLost();
      return;
    }
    this.#on.onState('reconnecting');
    clearTimeout(this.#recoveryTimer);
    this.#recoveryTimer = setTimeout(() => void this.#restore(todo.kind), todo.afterMs);
  }

  async #restore(kind) {
    const isBack = this.#connection.connectionState === 'connected';
    if (this.#over || isBack) return;
    this.#restarts++;
    this.#recovering = true;
    let refused = false;
    try {
      if (kind === 'anew') await this.#connect({ pc_id: this.#pcId, restart_pc: true });
      else await this.#offer(this.#connection, { iceRestart: true }, { pc_id: this.#pcId });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The call is over, or nobody knows it any more: there is nothing to come back to.
      refused = error.status >= 400 && error.status < 500 && error.status !== 429;
    } finally {
      this.#recovering = false;
    }
    if (this.#over) return;
    if (refused) this.#on.onLost();
    else this.#recoveryTimer = setTimeout(() => this.#recheck(), 3000);
  }

  /** A try that came to nothing changes no state, so nobody else asks. */
  #recheck() {
    const state = this.#connection.connectionState;
    if (state !== 'connected') this.#recover(state === 'disconnected' ? 'disconnected' : 'failed');
  }

  /** Events come over a signed link, because an EventSource cannot say that this is the sandbox. */
  async #listen() {
    const { live_url: link } = await api('POST', `/api/v1/calls/${this.#id}/live-link`);
    if (this.#over || this.#hasEnded) return;
    const { pathname, search } = new URL(link);
    this.#events?.close();
    this.#events = new EventSource(pathname + search);
    const take = (message) => {
      // The source's own "error" has no data: it connects again by itself.
      if (typeof message.data !== 'string') return;
      const event = JSON.parse(message.data);
      const type = message.type === 'message' ? event.type : message.type;
      const live = { ...event, type };
      this.#hasEnded ||= endsCall(live);
      this.#on.onEvent(live);
      if (this.#hasEnded) this.close();
    };
    for (const type of ['message', ...LIVE_EVENT_TYPES]) this.#events.addEventListener(type, take);
    this.#events.addEventListener('error', () => this.#listenAgain());
  }

  /** A source that gave up needs a new link: the old one is good for a few minutes only. */
  #listenAgain() {
    if (this.#events.readyState !== EventSource.CLOSED || this.#over || this.#hasEnded) return;
    setTimeout(() => void this.#listen().catch(() => this.#listenAgain()), LISTEN_AGAIN_MS);
  }

  async #look() {
    const figures = { packetsReceived: 0, packetsLost: 0, roundTripMs: null };
    for (const entry of (await this.#connection.getStats()).values()) {
      if (entry.type === 'inbound-rtp') {
        figures.packetsReceived += entry.packetsReceived ?? 0;
        figures.packetsLost += Math.max(0, entry.packetsLost ?? 0);
      } else if (
        entry.type === 'candidate-pair' &&
        entry.nominated &&
        entry.currentRoundTripTime !== undefined
      ) {
        figures.roundTripMs = entry.currentRoundTripTime * 1000;
      }
    }
    if (!this.#over) this.#on.onStatistics(figures);
  }
}

function gathered(connection) {
  if (connection.iceGatheringState === 'complete') return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      connection.removeEventListener('icegatheringstatechange', check);
      resolve();
    };
    const check = () => {
      if (connection.iceGatheringState === 'complete') done();
    };
    const timer = setTimeout(done, GATHER_WITHIN_MS);
    connection.addEventListener('icegatheringstatechange', check);
  });
}
