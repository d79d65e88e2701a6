/** The vendors whose voices are listed by their own SDKs. */
export type SdkVendor = 'elevenlabs' | 'deepgram';

/** Which catalogue is read, and how the SDK is set up. */
export interface Catalogue {
  readonly vendor: SdkVendor;
  readonly apiKey: string;
  /** Where the vendor is; without a slash at its end. */
  readonly base: string;
}

/** What the SDK wants to send. */
export interface SdkRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** To the process of an SDK. */
export type ToSdk =
  | ({ readonly type: 'list' } & Catalogue)
  /** The JSON of a request that was answered with 2xx; undefined where the answer is none. */
  | { readonly type: 'answer'; readonly id: number; readonly json: unknown };

/** From the process of an SDK. */
export type FromSdk =
  | ({ readonly type: 'request'; readonly id: number } & SdkRequest)
  | { readonly type: 'listed'; readonly pages: readonly unknown[] }
  /** `form`: the SDK does not know what the vendor answered. */
  | { readonly type: 'failed'; readonly reason: 'form' | 'sdk'; readonly message: string };
