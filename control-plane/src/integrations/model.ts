import { type Connection, Schema } from 'mongoose';

/** A tenant's connection to an integration: at most one each. */
export interface ConnectionRow {
  /** Derived from tenant and slug. */
  _id: string;
  tenant_id: string;
  slug: string;
  /** Sealed JSON of the `Credentials`. */
  credentials: string;
  /** Whose account it is, as the vendor says. */
  account: string | null;
  /** JSON text: in tenants' values no dollar, dot or operator may have a meaning for the database. */
  config: string;
  /** The vendor refuses the credentials; only connecting again helps. */
  broken: boolean;
  /** Until when one replica alone asks for new tokens. */
  refreshing_until: Date | null;
  /** Until when nobody asks, because the vendor has just given none; absent in rows from before it was kept. */
  refresh_paused_until?: Date | null;
  /** Counts the changes, so that two at the same time do not undo each other. */
  revision: number;
  connected_at: Date;
  updated_at: Date;
}

const connectionSchema = new Schema<ConnectionRow>(
  {
    _id: String,
    tenant_id: { type: String, required: true },
    slug: { type: String, required: true },
    credentials: { type: String, required: true },
    account: { type: String, default: null },
    config: { type: String, required: true },
    broken: { type: Boolean, required: true },
    refreshing_until: { type: Date, default: null },
    refresh_paused_until: { type: Date, default: null },
    revision: { type: Number, required: true },
    connected_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
  },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'integration_connections' },
);
connectionSchema.index({ tenant_id: 1, slug: 1 }, { unique: true });

export function connectionModel(store: Connection) {
  return store.model<ConnectionRow>('IntegrationConnection', connectionSchema);
}

/** A consent that was asked for and has not come back. */
export interface OAuthStateRow {
  /** SHA-256 of the state's random part. */
  _id: string;
  tenant_id: string;
  slug: string;
  /** SHA-256 of the browser's cookie; null for what a server has begun. */
  browser: string | null;
  /** The sealed PKCE code verifier. */
  verifier: string;
  expires_at: Date;
}

const oauthStateSchema = new Schema<OAuthStateRow>(
  {
    _id: String,
    tenant_id: { type: String, required: true },
    slug: { type: String, required: true },
    browser: { type: String, default: null },
    verifier: { type: String, required: true },
    expires_at: { type: Date, required: true },
  },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'integration_oauth_states' },
);
oauthStateSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });

export function oauthStateModel(store: Connection) {
  return store.model<OAuthStateRow>('IntegrationOAuthState', oauthStateSchema);
}

/** One use of an integration by an agent in a call, so that none happens twice. */
export interface ToolRunRow {
  /** Derived from the call, the tool call and what it asks for. */
  _id: string;
  tenant_id: string;
  call_id: string;
  started_at: Date;
  /** Sealed JSON of the outcome; null while it runs. */
  outcome: string | null;
  expires_at: Date;
}

const toolRunSchema = new Schema<ToolRunRow>(
  {
    _id: String,
    tenant_id: { type: String, required: true },
    call_id: { type: String, required: true },
    started_at: { type: Date, required: true },
    outcome: { type: String, default: null },
    expires_at: { type: Date, required: true },
  },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'integration_tool_runs' },
);
toolRunSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });

export function toolRunModel(store: Connection) {
  return store.model<ToolRunRow>('IntegrationToolRun', toolRunSchema);
}

/** Tokens of a connection that was removed, which their vendor has not taken back yet. */
export interface RevocationRow {
  _id: string;
  tenant_id: string;
  slug: string;
  /** Whose account they are for. */
  account: string | null;
  /** Sealed JSON of the `OAuthCredentials`. */
  credentials: string;
  attempts: number;
  next_at: Date;
  forget_at: Date;
}

const revocationSchema = new Schema<RevocationRow>(
  {
    _id: String,
    tenant_id: { type: String, required: true },
    slug: { type: String, required: true },
    account: { type: String, default: null },
    credentials: { type: String, required: true },
    attempts: { type: Number, required: true },
    next_at: { type: Date, required: true },
    forget_at: { type: Date, required: true },
  },
  { versionKey: false, autoIndex: false, autoCreate: false, collection: 'integration_revocations' },
);
revocationSchema.index({ next_at: 1 });
revocationSchema.index({ forget_at: 1 }, { expireAfterSeconds: 0 });

export function revocationModel(store: Connection) {
  return store.model<RevocationRow>('IntegrationRevocation', revocationSchema);
}
