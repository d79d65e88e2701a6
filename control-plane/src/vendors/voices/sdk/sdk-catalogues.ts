import { VendorFailure, type VendorHttp } from '../../../platform/vendor-http.js';
import type { Catalogue, SdkRequest, SdkVendor } from './messages.js';
import { runSdk } from './run-sdk.js';

/** For a list with all its pages, and the wait for its turn, in ms. */
const TIMEOUT_MS = 30_000;

export interface SdkCataloguesOptions {
  readonly http: Pick<VendorHttp, 'send'>;
  /** Runs an SDK; default in a process of its own. */
  readonly run?: typeof runSdk;
}

/** Reads vendors' catalogues by their SDKs: of each vendor one at a time, so that at most two processes run. */
export class SdkCatalogues {
  readonly #options: SdkCataloguesOptions;
  /** The end of the last list of each vendor. */
  readonly #last = new Map<SdkVendor, Promise<unknown>>();

  constructor(options: SdkCataloguesOptions) {
    this.#options = options;
  }

  /** Returns the pages of a catalogue as the SDK gives them. Throws `VendorFailure`. */
  read(catalogue: Catalogue): Promise<readonly unknown[]> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const run = this.#options.run ?? runSdk;
    const before = this.#last.get(catalogue.vendor) ?? Promise.resolve();
    const reading = before.then(() =>
      run(catalogue, (request, until) => this.#send(catalogue, request, until), signal),
    );
    this.#last.set(
      catalogue.vendor,
      reading.catch(() => {}),
    );
    return reading;
  }

  /** Sends what an SDK wants by the guarded client: it may read from the vendor's address, and nothing else. */
  async #send(
    { base }: Catalogue,
    { method, url, headers }: SdkRequest,
    signal: AbortSignal,
  ): Promise<unknown> {
    if (method !== 'GET' || new URL(url).origin !== new URL(base).origin) {
      throw new VendorFailure('refused', "The vendor's SDK asked for more than the list.");
    }
    // The address is the operator's or the vendor's own, never the tenant's.
    return (await this.#options.http.send({ method, url, headers }, true, signal)).json;
  }
}
