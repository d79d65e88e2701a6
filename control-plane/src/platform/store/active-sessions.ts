import { LiveItems } from '@voice/shared/collections/live-items';
import { type ClientSession, type ClientSessionOptions, MongoClient } from 'mongodb';

const END = Symbol('end');
type Session = ClientSession & { [END]?: () => void };

/** The sessions that a client has at the moment: what the driver asks of the set that it keeps them in. */
class ActiveSessions implements Iterable<Session> {
  #sessions = new LiveItems<Session>();

  /** @param before those that there are already */
  constructor(before: Iterable<Session>) {
    for (const session of before) this.add(session);
  }

  add(session: Session): void {
    session[END] = this.#sessions.add(session);
  }

  delete(session: Session): void {
    session[END]?.();
  }

  clear(): void {
    this.#sessions = new LiveItems();
  }

  [Symbol.iterator](): Iterator<Session> {
    return this.#sessions[Symbol.iterator]();
  }
}

/** What a client keeps of its own. */
type Client = MongoClient & { readonly s: { activeSessions: Set<Session> | ActiveSessions } };

const { startSession } = MongoClient.prototype;

/**
 * Has the driver keep the sessions of its commands in `LiveItems`. It (7.8) has them in a `Set`, with each its cursor,
 * what was read by that, and the request that waited for it: three quarters of what a busy control plane
 * allocates outlived the quick collections of garbage, up to the next whole one.
 */
export function keepSessionsApart(): void {
  MongoClient.prototype.startSession = function (this: Client, options?: ClientSessionOptions) {
    if (!(this.s.activeSessions instanceof ActiveSessions)) {
      this.s.activeSessions = new ActiveSessions(this.s.activeSessions);
    }
    return startSession.call(this, options);
  };
}
