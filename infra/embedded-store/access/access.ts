import { type ScramCredential, ScramExchange } from './scram.js';

export const MECHANISM = 'SCRAM-SHA-256';

/** What a client may ask before it has signed in, as with MongoDB. */
const OPEN_COMMANDS: ReadonlySet<string> = new Set([
  'hello',
  'isMaster',
  'ismaster',
  'ping',
  'buildInfo',
  'buildinfo',
  'connectionStatus',
  'endSessions',
  'saslStart',
  'saslContinue',
]);

export interface SaslReply {
  readonly payload: string;
  readonly done: boolean;
}

/** Whether one connection has signed in, and how far it is with that. */
export class Access {
  readonly #credential: ScramCredential;
  #exchange: ScramExchange | undefined;
  /** The client's last message was right; it may send an empty one to end. */
  #proved = false;
  #user: string | undefined;

  constructor(credential: ScramCredential) {
    this.#credential = credential;
  }

  /** Who has signed in. */
  get user(): string | undefined {
    return this.#user;
  }

  allows(command: string): boolean {
    return this.#user !== undefined || OPEN_COMMANDS.has(command);
  }

  /** Begins to sign in; undefined when it is refused. */
  start(mechanism: unknown, message: string): SaslReply | undefined {
    this.#proved = false;
    this.#user = undefined;
    this.#exchange = mechanism === MECHANISM ? new ScramExchange(this.#credential) : undefined;
    const payload = this.#exchange?.first(message);
    if (payload === undefined) {
      this.#exchange = undefined;
      return undefined;
    }
    return { payload, done: false };
  }

  /** Goes on; undefined when it is refused, and everything begins anew. */
  proceed(message: string): SaslReply | undefined {
    if (this.#proved && message === '') return { payload: '', done: true };
    const payload = this.#exchange?.final(message);
    this.#exchange = undefined;
    if (payload === undefined) return undefined;
    this.#proved = true;
    this.#user = this.#credential.user;
    return { payload, done: true };
  }
}
