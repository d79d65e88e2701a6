import type { LiveEvent } from '@voice/shared/contracts/live-events';
import { ApiError } from '../../../assets/talk/api.js';
import {
  type Conversation,
  endsCall,
  newConversation,
  withEvent,
} from '../../../assets/talk/conversation.js';
import { followLevel } from '../../../assets/talk/level.js';
import {
  CONNECTION_LOST,
  environmentProblem,
  microphoneProblem,
  type Problem,
  refusal,
} from '../../../assets/talk/messages.js';
import { type Statistics, TalkSession } from '../../../assets/talk/session.js';

export type Phase =
  | 'idle'
  | 'asking'
  | 'waiting'
  | 'connecting'
  | 'live'
  | 'reconnecting'
  | 'ended'
  | 'failed';

export interface TalkState {
  readonly phase: Phase;
  readonly conversation: Conversation;
  readonly problem: Problem | null;
  readonly muted: boolean;
  /** Monotonic ms; null before the call is connected. */
  readonly liveSince: number | null;
  readonly statistics: Statistics | null;
}

const NEW: TalkState = {
  phase: 'idle',
  conversation: newConversation(),
  problem: null,
  muted: false,
  liveSince: null,
  statistics: null,
};

/** A call from the browser to an agent, over WebRTC: what `/talk` is made of, as a store that a page subscribes to. */
export class Talk {
  readonly #listeners = new Set<() => void>();
  /** The agent's voice; its words are in the transcript. */
  readonly #voice = new Audio();
  #state = NEW;
  #session: TalkSession | null = null;
  #microphone: MediaStream | null = null;
  #audio: AudioContext | null = null;
  #stopLevel = () => {};
  readonly #meters = new Set<(level: number) => void>();
  /** Changes whenever what is under way is cancelled. */
  #attempt = 0;
  #wait: ReturnType<typeof setTimeout> | undefined;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly state = (): TalkState => this.#state;

  /** Reports how loud the agent is, 0 to 1, as it changes. Returns what ends that. */
  followLevel(onLevel: (level: number) => void): () => void {
    this.#meters.add(onLevel);
    return () => this.#meters.delete(onLevel);
  }

  /** Asks for the microphone and connects; to be called within the press of a button, else browsers keep silent. */
  async start(agentId: string): Promise<void> {
    this.close();
    const attempt = this.#attempt;
    this.#set({ ...NEW, phase: 'asking' });
    const unable = environmentProblem({
      isSecureContext,
      hasMediaDevices: navigator.mediaDevices !== undefined,
      hasPeerConnection: 'RTCPeerConnection' in window,
    });
    if (unable) return this.#fail(unable);
    this.#audio ??= new AudioContext();
    void this.#audio.resume();
    const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
    let stream: MediaStream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio });
    } catch (error) {
      if (attempt === this.#attempt) this.#fail(microphoneProblem((error as DOMException).name));
      return;
    }
    if (attempt !== this.#attempt) {
      for (const track of stream.getTracks()) track.stop();
      return;
    }
    this.#microphone = stream;
    // Pulled out during the call.
    stream.getAudioTracks()[0]?.addEventListener('ended', () => {
      if (this.#microphone === stream) this.#fail(microphoneProblem('NotFoundError'));
    });
    await this.#connect(agentId, stream);
  }

  mute(muted: boolean): void {
    this.#session?.mute(muted);
    this.#set({ muted });
  }

  /** Hangs up; before the call is connected, gives it up. */
  hangUp(): void {
    const { liveSince, conversation } = this.#state;
    if (liveSince === null) {
      this.close();
      this.#set({ phase: 'idle', problem: null });
      return;
    }
    this.#session?.hangUp();
    this.#silence();
    const ended = { reason: 'caller_hangup', durationMs: performance.now() - liveSince };
    this.#set({ phase: 'ended', conversation: { ...conversation, activity: null, ended } });
  }

  /** Ends what is there on this side, and says nothing. */
  close(): void {
    this.#attempt += 1;
    clearTimeout(this.#wait);
    this.#session?.close();
    this.#session = null;
    for (const track of this.#microphone?.getTracks() ?? []) track.stop();
    this.#microphone = null;
    this.#silence();
  }

  async #connect(agentId: string, microphone: MediaStream): Promise<void> {
    const isMine = () => this.#session === mine;
    const mine = new TalkSession(microphone, {
      onState: (phase) => {
        if (!isMine()) return;
        const liveSince =
          phase === 'live' ? (this.#state.liveSince ?? performance.now()) : this.#state.liveSince;
        this.#set({ phase, liveSince, problem: null });
      },
      onVoice: (stream) => isMine() && this.#play(stream),
      onEvent: (event) => isMine() && this.#take(event),
      onStatistics: (statistics) => isMine() && this.#set({ statistics }),
      onLost: () => isMine() && this.#fail(CONNECTION_LOST),
    });
    this.#session = mine;
    try {
      await mine.start(agentId);
    } catch (error) {
      if (!isMine()) return;
      if (error instanceof ApiError) this.#refused(error, agentId, microphone);
      else
        this.#fail({
          title: 'The connection could not be made',
          text: `${String(error)} Try again.`,
          retry: true,
        });
    }
  }

  #take(event: LiveEvent): void {
    this.#set({ conversation: withEvent(this.#state.conversation, event) });
    if (!endsCall(event)) return;
    this.close();
    this.#set({ phase: 'ended' });
  }

  #play(stream: MediaStream): void {
    this.#voice.srcObject = stream;
    // Allowed after the press of the button; where it is not, the transcript goes on all the same.
    this.#voice.play().catch(() => {});
    this.#stopLevel();
    if (this.#audio === null) return;
    this.#stopLevel = followLevel(this.#audio, stream, (level) => {
      for (const onLevel of this.#meters) onLevel(level);
    });
  }

  #refused(error: ApiError, agentId: string, microphone: MediaStream): void {
    const refused = refusal(error);
    if (refused.kind === 'wait') {
      this.#session?.close();
      this.#session = null;
      const attempt = this.#attempt;
      this.#set({ phase: 'waiting', problem: { title: refused.title, text: refused.text, retry: false } });
      this.#wait = setTimeout(() => {
        if (attempt === this.#attempt) void this.#again(agentId, microphone);
      }, refused.seconds * 1000);
    } else if (refused.kind === 'problem') this.#fail(refused.problem);
    else this.#fail({ title: 'Your session is over', text: 'Sign in again, then talk.', retry: false });
  }

  /** Tries again with the microphone that was allowed already; closing the session has stopped its tracks. */
  async #again(agentId: string, microphone: MediaStream): Promise<void> {
    if (microphone.getAudioTracks().every(({ readyState }) => readyState === 'live')) {
      await this.#connect(agentId, microphone);
    } else await this.start(agentId);
  }

  #silence(): void {
    this.#stopLevel();
    this.#stopLevel = () => {};
    this.#voice.srcObject = null;
  }

  #fail(problem: Problem): void {
    this.close();
    this.#set({ phase: 'failed', problem });
  }

  #set(changes: Partial<TalkState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }
}
