import type { z } from 'zod';
import type { Vendor } from '../platform/settings/integrations.js';
import type { VendorAnswer, VendorFailure, VendorRequest } from '../platform/vendor-http.js';

/** What an OAuth vendor has granted. */
export interface OAuthCredentials {
  readonly kind: 'oauth';
  readonly access_token: string;
  readonly refresh_token: string | null;
  /** Epoch ms; null where the vendor does not say. */
  readonly expires_at: number | null;
  /** The vendor's address for this account, where each has its own. */
  readonly instance_url: string | null;
}

/** What a tenant has typed in. */
interface KeyCredentials {
  readonly kind: 'api_key';
  readonly fields: Readonly<Record<string, string>>;
}

export type Credentials = OAuthCredentials | KeyCredentials;

/** One use of a connected account. */
export interface VendorCall<C extends Credentials = Credentials> {
  readonly credentials: C;
  /** The tenant's settings of this integration. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Names this use at vendors that take such a name, so that repeating it does nothing twice. */
  readonly runId: string;
  /** Epoch ms. */
  readonly now: number;
  /** Returns an address at one of the vendor's hosts. */
  at(host: string, path: string): string;
  /** Sends with the account's credentials; throws `VendorFailure` for anything but a 2xx. */
  send(request: VendorRequest): Promise<VendorAnswer>;
}

/** Something that an agent's tool may do. */
export interface Action {
  readonly name: string;
  readonly description: string;
  readonly parameters: z.ZodObject;
  /** Whether repeating it is harmless: it only reads, or the vendor recognises the repetition. */
  readonly repeatable: boolean;
  run(call: VendorCall, args: never): Promise<unknown>;
}

export function action<S extends z.ZodObject>(declared: {
  readonly name: string;
  readonly description: string;
  readonly parameters: S;
  readonly repeatable: boolean;
  run(call: VendorCall, args: z.output<S>): Promise<unknown>;
}): Action {
  return declared as Action;
}

interface AdapterBase {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly vendor: Vendor;
  /** By the names that its calls use; all of them replaced by the vendor's `url` where one is configured. */
  readonly hosts: Readonly<Record<string, string>>;
  /** Says in `config` what an action takes where its arguments leave it out. */
  readonly configHint: string;
  readonly actions: readonly Action[];
}

/** A vendor's way of OAuth 2.0 (RFC 6749, 7009, 7636). */
export interface OAuthDialect {
  readonly authorize: {
    readonly host: string;
    readonly path: string;
    readonly params?: Readonly<Record<string, string>>;
  };
  readonly token: { readonly host: string; readonly path: string };
  readonly scopes: readonly string[];
  readonly scopeSeparator: ' ' | ',';
  /** Whether the vendor takes a code challenge (S256). */
  readonly pkce: boolean;
  /** Codes by which the vendor says that a refresh token is dead, beside `invalid_grant` (RFC 6749, 5.2). */
  readonly deadGrants?: readonly string[];
  /** What a 200 of the token endpoint says went wrong; undefined when nothing did. */
  failureIn?(answer: unknown): VendorFailure | undefined;
}

export interface OAuthAdapter extends AdapterBase {
  readonly kind: 'oauth';
  readonly oauth: OAuthDialect;
  /** Asks the vendor whose account this is; throws `VendorFailure` when it is not usable any more. */
  check(call: VendorCall<OAuthCredentials>): Promise<{ readonly account: string | null }>;
  /** Makes the tokens useless at the vendor; throws `VendorFailure`. */
  revoke(call: VendorCall<OAuthCredentials>): Promise<void>;
  /** Returns whether `revoke` failed because the vendor does not know the tokens: they are useless already. */
  isUnknownToken(failure: VendorFailure): boolean;
}

export interface KeyAdapter extends AdapterBase {
  readonly kind: 'api_key';
  /** What the tenant types in. */
  readonly fields: z.ZodObject<Record<string, z.ZodType<string>>>;
  /** Headers by which the vendor knows the account. */
  headers(fields: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** Undefined where the vendor cannot be asked without doing something. */
  readonly check:
    | ((call: VendorCall<KeyCredentials>) => Promise<{ readonly account: string | null }>)
    | undefined;
  /** Where the tenant's own URL is used: which are the vendor's. */
  readonly webhookUrl?: RegExp;
}

export type Adapter = OAuthAdapter | KeyAdapter;
