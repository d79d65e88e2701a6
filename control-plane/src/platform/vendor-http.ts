import { type AddressPolicy, createAddressPolicy } from '@voice/shared/egress/address-policy';
import { type GuardedResponse, guardedRequest } from '@voice/shared/egress/guarded-request';
import { ServiceError } from '@voice/shared/errors/service-error';

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** The operator says where vendors are, so these addresses need no guard. */
const ANYWHERE = createAddressPolicy(['0.0.0.0/0', '::/0']);

export interface VendorRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  /** What is sent says itself whom it is about: no credentials beside it, which may have expired. */
  readonly anonymous?: boolean;
}

export interface VendorAnswer {
  readonly status: number;
  /** The JSON body; undefined when there is none. */
  readonly json: unknown;
}

/**
 * - `unauthorized`: the credentials do not count (any more)
 * - `refused`: the vendor understood and said no
 * - `unavailable`: it could not be asked, or failed; whether it did something is not known
 */
export type VendorFailureKind = 'unauthorized' | 'refused' | 'unavailable';

/** A vendor did not do what it was asked. `message` may be shown. */
export class VendorFailure extends Error {
  override readonly name = 'VendorFailure';
  readonly kind: VendorFailureKind;
  /** Of the answer; null where there was none. */
  readonly status: number | null;
  /** By which the vendor names the reason; null where it names none. */
  readonly code: string | null;

  constructor(
    kind: VendorFailureKind,
    message: string,
    cause?: unknown,
    status: number | null = null,
    code: string | null = null,
  ) {
    super(message, { cause });
    this.kind = kind;
    this.status = status;
    this.code = code;
  }
}

/** Requests to vendors: of integrations, and of agents' providers. `tenants`: the rules for addresses that a tenant or its account names. */
export class VendorHttp {
  readonly #tenants: AddressPolicy;

  constructor(tenants: AddressPolicy) {
    this.#tenants = tenants;
  }

  /** `trusted`: whether the address is the operator's or the vendor's own. Throws `VendorFailure` but for 2xx. */
  async send(request: VendorRequest, trusted: boolean, signal?: AbortSignal): Promise<VendorAnswer> {
    const url = new URL(request.url);
    for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, value);
    const body =
      request.form !== undefined
        ? new URLSearchParams(request.form).toString()
        : request.json !== undefined
          ? JSON.stringify(request.json)
          : undefined;
    const type = request.form !== undefined ? 'application/x-www-form-urlencoded' : 'application/json';
    let answer: GuardedResponse;
    try {
      answer = await guardedRequest({
        url: url.toString(),
        method: request.method,
        headers: {
          accept: 'application/json',
          ...(body === undefined
            ? {}
            : { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) }),
          ...request.headers,
        },
        ...(body === undefined ? {} : { body }),
        timeoutMs: TIMEOUT_MS,
        maxResponseBytes: MAX_ANSWER_BYTES,
        policy: trusted ? ANYWHERE : this.#tenants,
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      throw new VendorFailure(error.status === 422 ? 'refused' : 'unavailable', error.message, error);
    }
    const json = parsed(answer.body);
    if (answer.status >= 200 && answer.status < 300) return { status: answer.status, json };
    const said = messageIn(json);
    const message = `The vendor answered with status ${answer.status}${said === undefined ? '' : `: ${said}`}.`;
    throw new VendorFailure(kindOf(answer.status), message, undefined, answer.status, codeIn(json));
  }
}

function kindOf(status: number): VendorFailureKind {
  if (status === 401) return 'unauthorized';
  return status === 408 || status === 429 || status >= 500 ? 'unavailable' : 'refused';
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Vendors name their reasons by `error` (RFC 6749, 5.2), HubSpot by `status`; Salesforce's lie in a list. */
function codeIn(json: unknown): string | null {
  const place = Array.isArray(json) ? json[0] : json;
  if (typeof place !== 'object' || place === null) return null;
  const { error, status } = place as Record<string, unknown>;
  return [error, status].find((code) => typeof code === 'string') ?? null;
}

/** How many objects deep a reason may lie: an address that a tenant names may answer with a million. */
const DEEPEST_REASON = 4;

/** Vendors put their reasons into `message`, `error_description`, `error`, `detail` or `err_msg`, at the top, within, or in a list. */
function messageIn(json: unknown, deeper = DEEPEST_REASON): string | undefined {
  const place = Array.isArray(json) ? json[0] : json;
  if (typeof place !== 'object' || place === null) return undefined;
  const { message, error_description, error, detail, err_msg } = place as Record<string, unknown>;
  for (const text of [message, error_description, error, detail, err_msg]) {
    if (typeof text === 'string' && text !== '') return text.slice(0, 300).replace(/\.$/, '');
  }
  const within = [error, detail].find((part) => typeof part === 'object' && part !== null);
  return within === undefined || deeper === 0 ? undefined : messageIn(within, deeper - 1);
}
