import type { Clock } from '@voice/shared/clock/clock';
import { asTenantId, newId, type TenantId } from '@voice/shared/ids/ids';
import { type Connection, Schema } from 'mongoose';
import { isHttps, sessionCookieName } from '../../platform/http/authentication.js';
import { apiError } from '../../platform/http/error-codes.js';
import { ROLES, type Role } from '../../platform/http/roles.js';
import type { SessionCookies } from './session-cookie.js';

/** How long a session lasts, in ms. */
const SESSION_LIFE_MS = 12 * 60 * 60_000;

interface SessionRow {
  _id: string;
  tenant_id: string;
  user_id?: string | null;
  role?: Role | null;
  created_at: Date;
  expires_at: Date;
}

const sessionSchema = new Schema<SessionRow>(
  {
    _id: String,
    tenant_id: { type: String, required: true },
    user_id: { type: String, default: null },
    role: { type: String, enum: [...ROLES, null], default: null },
    created_at: { type: Date, required: true },
    expires_at: { type: Date, required: true },
  },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'dashboard_sessions' },
);
sessionSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });
sessionSchema.index({ user_id: 1 });

export interface Session {
  readonly id: string;
  readonly tenant: TenantId;
  /** The person who is signed in; null where the link did not say. */
  readonly userId: string | null;
  /** What the identity provider's token said of the person; null: their role is what is stored of them. */
  readonly role: Role | null;
  readonly expiresAt: Date;
}

/** Who begins a session. */
export type Entrant = Pick<Session, 'tenant' | 'userId'> & Partial<Pick<Session, 'role'>>;

export interface OpenedSession {
  readonly session: Session;
  /** The Set-Cookie header by which the browser holds it. */
  readonly setCookie: string;
}

interface SessionsOptions {
  readonly store: Connection;
  readonly cookies: SessionCookies;
  readonly clock: Clock;
  /** How browsers reach the service: by https, the cookie never travels without it. */
  readonly publicUrl: () => string;
}

/** Who is signed in to the dashboard. A session is a row, so that signing out ends it on every replica. */
export class Sessions {
  readonly #sessions;
  readonly #options: SessionsOptions;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#sessions = options.store.model<SessionRow>('DashboardSession', sessionSchema);
  }

  /** Signs in; the Set-Cookie header that says so. */
  async open({ tenant, userId, role = null }: Entrant): Promise<OpenedSession> {
    const now = this.#options.clock.now();
    const expiresAt = new Date(now + SESSION_LIFE_MS);
    const session: Session = { id: newId(), tenant, userId, role, expiresAt };
    await this.#sessions.insertOne({
      _id: session.id,
      tenant_id: tenant,
      user_id: userId,
      role,
      created_at: new Date(now),
      expires_at: expiresAt,
    });
    const value = this.#options.cookies.sign({ id: session.id, expiresAt: expiresAt.getTime() });
    return { session, setCookie: this.#cookie(value, SESSION_LIFE_MS / 1000) };
  }

  /**
   * Returns the session of a cookie's value; 401 `session_expired` when it is over, 401 `invalid_session` for no
   * session.
   */
  async read(value: string): Promise<Session> {
    const claim = this.#options.cookies.verify(value);
    if (!claim) throw apiError('invalid_session');
    if (claim.expiresAt <= this.#options.clock.now()) throw apiError('session_expired');
    const session = await this.find(claim.id);
    if (!session) throw apiError('session_expired');
    return session;
  }

  /** Finds a session that goes on; null when it is over. */
  async find(id: string): Promise<Session | null> {
    const isOn = { _id: id, expires_at: { $gt: new Date(this.#options.clock.now()) } };
    const row = await this.#sessions.findOne(isOn).lean().exec();
    return (
      row && {
        id: row._id,
        tenant: asTenantId(row.tenant_id),
        userId: row.user_id ?? null,
        role: row.role ?? null,
        expiresAt: row.expires_at,
      }
    );
  }

  /** Ends a session, on every replica. */
  async end(id: string): Promise<void> {
    await this.#sessions.deleteOne({ _id: id }).exec();
  }

  /** Ends all sessions of a person, on every replica; how many there were. */
  async closeAllOf(userId: string): Promise<number> {
    return (await this.#sessions.deleteMany({ user_id: userId }).exec()).deletedCount;
  }

  /** Signs out; the Set-Cookie header that says so. Harmless for what is no session. */
  async close(value: string): Promise<string> {
    const claim = this.#options.cookies.verify(value);
    if (claim) await this.end(claim.id);
    return this.#cookie('', 0);
  }

  #cookie(value: string, maxAgeSeconds: number): string {
    const publicUrl = this.#options.publicUrl();
    const secure = isHttps(publicUrl) ? '; Secure' : '';
    return `${sessionCookieName(publicUrl)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${secure}`;
  }
}
