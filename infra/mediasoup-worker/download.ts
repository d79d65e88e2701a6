import { createWriteStream } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MEDIASOUP_VERSION } from '@voice/shared/mediasoup-worker/location';
import { runCommand } from '../installation/command.js';
import type { ObtainConfig } from './config.js';
import { runsHere } from './runs-here.js';

/** A server that says nothing for this long is given up, in ms. */
const SILENCE_MS = 5000;
const MAX_BYTES = 100e6;

export type DownloadResult = { readonly binary: string } | { readonly unavailable: string };

/** Returns the address of the published worker for this machine (its `npm-scripts.mjs` forms the same name). */
export function prebuiltUrl(config: Pick<ObtainConfig, 'downloadBaseUrl' | 'platform' | 'arch' | 'kernel'>) {
  const { downloadBaseUrl, platform, arch, kernel } = config;
  const system = platform === 'linux' ? `linux-${arch}-kernel${kernel.split('.')[0]}` : `${platform}-${arch}`;
  return `${downloadBaseUrl}/${MEDIASOUP_VERSION}/mediasoup-worker-${MEDIASOUP_VERSION}-${system}.tgz`;
}

/** Downloads the official binary into `folder`; it must run here. Never rejects, and no silent server hangs it. */
export async function download(
  url: string,
  folder: string,
  signal: AbortSignal,
  silenceMs = SILENCE_MS,
): Promise<DownloadResult> {
  const silence = new AbortController();
  const watch = setTimeout(() => silence.abort(new Error(`no byte for ${silenceMs / 1000} s`)), silenceMs);
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, silence.signal]) });
    if (!response.ok || !response.body) return { unavailable: `${url} answered ${response.status}` };
    const archive = join(folder, 'prebuilt.tgz');
    let received = 0;
    const watched = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        watch.refresh();
        received += chunk.length;
        done(received > MAX_BYTES ? new Error('the archive is far too large') : null, chunk);
      },
    });
    await pipeline(Readable.fromWeb(response.body), watched, createWriteStream(archive), {
      signal: silence.signal,
    });
    const unpacked = await runCommand('tar', ['-xzf', archive, '-C', folder], { signal });
    if (unpacked.code !== 0) return { unavailable: `the archive cannot be unpacked: ${unpacked.tail}` };
    const binary = join(folder, 'mediasoup-worker');
    await chmod(binary, 0o755);
    return (await runsHere(binary, signal))
      ? { binary }
      : { unavailable: 'the official binary does not run here' };
  } catch (error) {
    return { unavailable: `${url} is out of reach (${causeOf(error)})` };
  } finally {
    clearTimeout(watch);
  }
}

function causeOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message || cause.name : message;
}
