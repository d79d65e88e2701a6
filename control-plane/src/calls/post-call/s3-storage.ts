import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { newId } from '@voice/shared/ids/ids';
import { apiError } from '../../platform/http/error-codes.js';
import type { S3Access } from '../../platform/settings/s3.js';
import { DiskStorage } from './disk-storage.js';
import type { ObjectSource, ObjectStorage } from './object-storage.js';
import { PARTS } from './part-files.js';

const TIMEOUT_MS = 60_000;

/** Objects in a bucket of S3 or of a server compatible with it. */
export class S3Storage implements ObjectStorage {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #near: DiskStorage;

  /** `dataDir`: where objects lie while they are taken in. */
  constructor({ bucket, region, accessKeyId, secretAccessKey, endpoint }: S3Access, dataDir: string) {
    this.#bucket = bucket;
    this.#near = new DiskStorage(dataDir);
    this.#client = new S3Client({
      region,
      // The SDK would write to the console; what fails is thrown, and logged where it is caught.
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      credentials: { accessKeyId, secretAccessKey },
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
      // Compatible servers often do not know the newer checksum headers.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  /** S3 wants to know the length before the first byte, so the stream is taken in whole first, on the disk. */
  async put(
    key: string,
    source: Readable,
    limitBytes: number,
    contentType: string,
  ): Promise<{ sizeBytes: number }> {
    const taken = `${PARTS}/${newId()}`;
    try {
      const { sizeBytes } = await this.#near.put(taken, source, limitBytes);
      await this.#send((signal) =>
        this.#client.send(
          new PutObjectCommand({
            Bucket: this.#bucket,
            Key: key,
            Body: createReadStream(this.#near.path(taken)),
            ContentLength: sizeBytes,
            ContentType: contentType,
          }),
          { abortSignal: signal },
        ),
      );
      return { sizeBytes };
    } finally {
      await this.#near.remove(taken);
    }
  }

  async source(key: string, lifeMs: number): Promise<ObjectSource | null> {
    const object = { Bucket: this.#bucket, Key: key };
    const there = await this.#send((signal) =>
      this.#client.send(new HeadObjectCommand(object), { abortSignal: signal }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof NotFound) return false;
          throw error;
        },
      ),
    );
    if (!there) return null;
    const expiresIn = Math.floor(lifeMs / 1000);
    return {
      kind: 'address',
      url: await getSignedUrl(this.#client, new GetObjectCommand(object), { expiresIn }),
    };
  }

  async remove(key: string): Promise<void> {
    const object = { Bucket: this.#bucket, Key: key };
    await this.#send((signal) => this.#client.send(new DeleteObjectCommand(object), { abortSignal: signal }));
  }

  async open(key: string): Promise<{ content: Readable; sizeBytes: number } | null> {
    const object = { Bucket: this.#bucket, Key: key };
    // The time limit is for the answer to begin: its body may take as long as its reader.
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), TIMEOUT_MS);
    try {
      const found = await this.#send(() =>
        this.#client
          .send(new GetObjectCommand(object), { abortSignal: late.signal })
          .catch((error: unknown) => {
            if (error instanceof NoSuchKey) return null;
            throw error;
          }),
      );
      return found && { content: found.Body as Readable, sizeBytes: found.ContentLength ?? 0 };
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#client.destroy();
  }

  async #send<T>(request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await request(AbortSignal.timeout(TIMEOUT_MS));
    } catch (cause) {
      throw apiError('storage_unavailable', undefined, { cause, retryable: true, retryAfterSeconds: 5 });
    }
  }
}
