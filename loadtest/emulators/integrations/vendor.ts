import type { OAuthAuthority } from './oauth-authority.js';

export interface VendorRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as JSON or as a form, by its content type; both empty without one. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly form: URLSearchParams;
}

export interface VendorReply {
  readonly status: number;
  readonly body?: unknown;
  readonly location?: string;
}

/** What the accounts of all vendors hold, newest last. */
export interface Done {
  readonly what: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface VendorContext {
  readonly authorities: Readonly<Record<'slack' | 'hubspot' | 'salesforce' | 'google', OAuthAuthority>>;
  /** Keys of vendors without OAuth. */
  readonly keys: ReadonlySet<string>;
  readonly done: Done[];
  /** `http://127.0.0.1:PORT`. */
  readonly url: () => string;
}

/** Answers requests to its vendor's paths; undefined for others. */
export type Vendor = (request: VendorRequest, context: VendorContext) => VendorReply | undefined;

export function bearerOf({ headers }: VendorRequest): string {
  return /^Bearer (\S+)$/.exec(String(headers.authorization ?? ''))?.[1] ?? '';
}

export function textAt(json: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = json[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
