import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, systemClock } from '@voice/shared/clock/clock';
import { listen, type RunningEmulator, readBody, requestUrl } from '../serving/http-server.js';
import { type SigningKey, verify } from './signature.js';

export interface S3EmulatorOptions extends Partial<SigningKey> {
  /** 0 takes a free one. */
  readonly port?: number;
  readonly bucket?: string;
  readonly clock?: Clock;
}

interface StoredObject {
  readonly body: Buffer;
  readonly contentType: string;
}

export interface S3Emulator extends RunningEmulator, SigningKey {
  readonly bucket: string;
  /** By key. */
  readonly objects: ReadonlyMap<string, StoredObject>;
  /** Codes of refused requests. */
  readonly refused: readonly string[];
  /** Answers this many requests with 503 SlowDown. */
  readonly faults: { failNext: number };
}

const MAX_BODY_BYTES = 300 * 1024 * 1024;

/** Objects of one bucket by S3's REST API, path style: PUT, GET, HEAD and DELETE, every request signed. */
export async function startS3Emulator(options: S3EmulatorOptions = {}): Promise<S3Emulator> {
  const bucket = options.bucket ?? 'recordings';
  const key: SigningKey = {
    accessKeyId: options.accessKeyId ?? 'AKIAEMULATOR',
    secretAccessKey: options.secretAccessKey ?? 'emulator-secret',
    region: options.region ?? 'us-east-1',
  };
  const clock = options.clock ?? systemClock;
  const objects = new Map<string, StoredObject>();
  const refused: string[] = [];
  const faults = { failNext: 0 };
  const { server, running } = await listen(options.port ?? 0);

  const refuse = (response: ServerResponse, status: number, code: string, message: string) => {
    refused.push(code);
    const text =
      `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message>` +
      `<RequestId>${randomUUID()}</RequestId></Error>`;
    response.writeHead(status, { 'content-type': 'application/xml' }).end(text);
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = requestUrl(request);
    const body = await readBody(request, MAX_BODY_BYTES);
    const method = request.method ?? '';
    const verdict = verify({ method, url, headers: request.headers, body }, key, clock.now());
    if (!verdict.ok) {
      const malformed = verdict.code === 'AuthorizationHeaderMalformed' || verdict.code.startsWith('XAmz');
      return refuse(response, malformed ? 400 : 403, verdict.code, verdict.message);
    }
    if (faults.failNext > 0) {
      faults.failNext -= 1;
      return refuse(response, 503, 'SlowDown', 'Please reduce your request rate.');
    }
    const [, named = '', ...rest] = url.pathname.split('/').map(decodeURIComponent);
    const name = rest.join('/');
    if (named !== bucket) return refuse(response, 404, 'NoSuchBucket', 'The specified bucket does not exist');
    if (name === '') return refuse(response, 501, 'NotImplemented', 'Only objects are emulated');
    const found = objects.get(name);
    const etag = (object: StoredObject) => `"${createHash('md5').update(object.body).digest('hex')}"`;
    switch (method) {
      case 'PUT': {
        if (request.headers['content-length'] === undefined) {
          return refuse(
            response,
            411,
            'MissingContentLength',
            'You must provide the Content-Length HTTP header.',
          );
        }
        const object = { body, contentType: request.headers['content-type'] ?? 'binary/octet-stream' };
        objects.set(name, object);
        response.writeHead(200, { etag: etag(object) }).end();
        return;
      }
      case 'GET':
      case 'HEAD': {
        if (!found) return refuse(response, 404, 'NoSuchKey', 'The specified key does not exist.');
        const type = url.searchParams.get('response-content-type') ?? found.contentType;
        response.writeHead(200, {
          etag: etag(found),
          'content-type': type,
          'content-length': String(found.body.length),
        });
        response.end(method === 'HEAD' ? undefined : found.body);
        return;
      }
      case 'DELETE':
        objects.delete(name);
        response.writeHead(204).end();
        return;
      default:
        return refuse(response, 405, 'MethodNotAllowed', 'The specified method is not allowed.');
    }
  }

  server.on('request', (request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  return { ...running, ...key, bucket, objects, refused, faults };
}
