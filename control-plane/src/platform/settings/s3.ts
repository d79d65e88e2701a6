import { optionalUrl } from '@voice/shared/catalogue/environment';
import { ConfigurationError } from '@voice/shared/environment/environment';
import { optionalText } from '@voice/shared/environment/parsers';

/** The part of the environment that is about where recordings go; read by `config.ts` with the rest. */
export const s3Variables = {
  /** Recordings go to this bucket; without it to DATA_DIR. */
  S3_BUCKET: optionalText,
  S3_REGION: optionalText,
  S3_ACCESS_KEY_ID: optionalText,
  S3_SECRET_ACCESS_KEY: optionalText,
  S3_ENDPOINT: optionalUrl,
};

export interface S3Access {
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of an S3-compatible server; it is spoken to by path style. Undefined: AWS. */
  readonly endpoint?: string;
}

/** Gives the settings that parsed variables hold. Throws a `ConfigurationError` where the bucket lacks its keys. */
export function s3Settings(
  vars: Readonly<Partial<Record<keyof typeof s3Variables, string | undefined>>>,
): S3Access | undefined {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = vars;
  if (bucket === undefined) return undefined;
  if (accessKeyId === undefined) throw new ConfigurationError('S3_ACCESS_KEY_ID is missing beside S3_BUCKET');
  if (secretAccessKey === undefined) {
    throw new ConfigurationError('S3_SECRET_ACCESS_KEY is missing beside S3_BUCKET');
  }
  const endpoint = vars.S3_ENDPOINT === undefined ? {} : { endpoint: vars.S3_ENDPOINT };
  return { bucket, region: vars.S3_REGION ?? 'us-east-1', accessKeyId, secretAccessKey, ...endpoint };
}
