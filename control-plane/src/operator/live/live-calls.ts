import type { Clock } from '@voice/shared/clock/clock';
import type { CallEvent } from '@voice/shared/contracts/call-events';
import { LIVE_CLOSE, type ListenChannels } from '@voice/shared/contracts/live-streams';
import type { TenantId } from '@voice/shared/ids/ids';
import type { Log } from '@voice/shared/log/log';
import type { WebSocket } from 'ws';
import { isTerminal } from '../../calls/record/call-state.js';
import type { CallDocument, CallModel } from '../../calls/record/model.js';
import { apiError } from '../../platform/http/error-codes.js';
import { ownedBy, scopeName, type TenantScope } from '../../platform/store/tenant-scope.js';
import { CallFeed, type Viewer } from './call-feed.js';
import { CallWatches } from './call-watches.js';
import { ListenRelay } from './listen-relay.js';
import type { WorkerAddress } from './worker-socket.js';

/** At one replica: viewers of a call, listeners to a call, and both of all calls of a tenant in one mode. */
export const MAX_VIEWERS_OF_CALL = 50;
const MAX_LISTENERS_OF_CALL = 50;
export const MAX_STREAMS_OF_TENANT = 500;
/** When to try again where there are too many, in seconds. */
const RETRY_AFTER_SECONDS = 10;

export interface LiveCallsOptions {
  readonly calls: CallModel;
  readonly storedAfter: (tenant: TenantId, callId: string, seq: number) => Promise<readonly CallEvent[]>;
  readonly workerAddress: WorkerAddress;
  readonly secret: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The live streams of this replica: one feed and one relay a call, shared by all who follow or listen to it. */
export class LiveCalls {
  readonly #options: LiveCallsOptions;
  readonly #watches: CallWatches;
  readonly #feeds = new Map<string, CallFeed>();
  readonly #relays = new Map<string, ListenRelay>();
  /** Open streams by `scopeName`: those of the sandbox take no place of the live ones. */
  readonly #openStreams = new Map<string, number>();
  #closed = false;

  constructor(options: LiveCallsOptions) {
    this.#options = options;
    this.#watches = new CallWatches(options);
  }

  /** Returns the call, if it is this tenant's in this mode; throws 404 `call_not_found`. */
  async require(scope: TenantScope, callId: string) {
    const call = await this.#options.calls
      .findOne({ _id: callId, ...ownedBy(scope) }, { status: 1 })
      .lean<Pick<CallDocument, '_id' | 'status'>>();
    if (!call) throw apiError('call_not_found');
    return call;
  }

  /** Throws 429 `live_limit_reached` where no viewer more is taken, 503 `draining` when the replica stops. */
  admitViewer(scope: TenantScope, callId: string): void {
    this.#admit(scope, this.#feeds.get(callId)?.viewers ?? 0, MAX_VIEWERS_OF_CALL, 'follow');
  }

  /** Sends a call from its beginning, or after an event, to its end. Returns how to leave earlier. */
  follow(scope: TenantScope, callId: string, viewer: Viewer, afterSeq?: number): () => void {
    let feed = this.#feeds.get(callId);
    if (!feed) {
      feed = new CallFeed({
        ...this.#options,
        tenant: scope.tenant,
        callId,
        watches: this.#watches,
        onFinished: () => this.#feeds.delete(callId),
      });
      this.#feeds.set(callId, feed);
    }
    const own = feed;
    const leaveFeed = own.join(viewer, afterSeq);
    this.#count(scope, 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#count(scope, -1);
      leaveFeed();
      if (own.viewers > 0) return;
      own.close();
      if (this.#feeds.get(callId) === own) this.#feeds.delete(callId);
    };
  }

  /** Throws 409 `call_not_active` for a call that is over, and as `admitViewer`. */
  admitListener(scope: TenantScope, call: Pick<CallDocument, '_id' | 'status'>): void {
    if (isTerminal(call.status)) throw apiError('call_not_active');
    const listeners = (['mixed', 'stereo'] as const).map(
      (channels) => this.#relays.get(`${call._id}/${channels}`)?.listeners ?? 0,
    );
    this.#admit(scope, listeners[0]! + listeners[1]!, MAX_LISTENERS_OF_CALL, 'listen to');
  }

  /** Sends the call's audio to the WebSocket until either is closed. */
  listen(scope: TenantScope, callId: string, channels: ListenChannels, socket: WebSocket): void {
    if (this.#closed) {
      socket.close(LIVE_CLOSE.goingAway, 'this replica is shutting down; connect again');
      return;
    }
    const key = `${callId}/${channels}`;
    let relay = this.#relays.get(key);
    if (!relay) {
      const made = new ListenRelay({
        ...this.#options,
        tenant: scope.tenant,
        callId,
        channels,
        watches: this.#watches,
        onIdle: () => {
          if (this.#relays.get(key) === made) this.#relays.delete(key);
        },
      });
      this.#relays.set(key, made);
      relay = made;
    }
    this.#count(scope, 1);
    socket.once('close', () => this.#count(scope, -1));
    relay.add(socket);
  }

  /** The replica stops: its streams end, and clients come back to another. */
  close(): void {
    this.#closed = true;
    for (const feed of [...this.#feeds.values()]) feed.close();
    this.#feeds.clear();
    for (const relay of [...this.#relays.values()]) {
      relay.close(LIVE_CLOSE.goingAway, 'this replica is shutting down; connect again');
    }
  }

  #admit(scope: TenantScope, present: number, most: number, what: string): void {
    const retry = { retryable: true, retryAfterSeconds: RETRY_AFTER_SECONDS };
    if (this.#closed) throw apiError('draining', undefined, retry);
    if (present >= most) {
      throw apiError('live_limit_reached', `${most} ${what} this call already. Try again later.`, retry);
    }
    if ((this.#openStreams.get(scopeName(scope)) ?? 0) >= MAX_STREAMS_OF_TENANT) {
      const message = `${MAX_STREAMS_OF_TENANT} live streams of this tenant are open in this mode already. Close some of them.`;
      throw apiError('live_limit_reached', message, retry);
    }
  }

  #count(scope: TenantScope, change: 1 | -1): void {
    const name = scopeName(scope);
    const open = (this.#openStreams.get(name) ?? 0) + change;
    if (open > 0) this.#openStreams.set(name, open);
    else this.#openStreams.delete(name);
  }
}
