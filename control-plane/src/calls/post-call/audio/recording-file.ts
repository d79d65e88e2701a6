import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { newId } from '@voice/shared/ids/ids';
import type { Response } from 'express';
import { apiError } from '../../../platform/http/error-codes.js';
import { sendFileFromDisk } from '../../../platform/http/file-answer.js';
import { DiskStorage } from '../disk-storage.js';
import type { ObjectStorage } from '../object-storage.js';
import { PARTS } from '../part-files.js';
import { mp3AsWav } from './mp3-to-wav.js';
import type { Channels } from './wav.js';

/** What a client may have a recording as, by `Accept`; JSON holds its address. */
export type RecordingForm = 'address' | 'audio/mpeg' | 'audio/wav';

const FORMS: readonly (readonly [type: string, form: RecordingForm])[] = [
  // The first where the client takes anything.
  ['application/json', 'address'],
  ['audio/mpeg', 'audio/mpeg'],
  ['audio/wav', 'audio/wav'],
  ['audio/x-wav', 'audio/wav'],
  ['audio/wave', 'audio/wav'],
];

/**
 * Returns the form that the client wants most. Throws 406 `not_acceptable` where there is none of its, and for MP3 in
 * mono. `accepts` is Express's.
 */
export function recordingForm(
  accepts: (types: string[]) => string | false,
  channels: Channels,
): RecordingForm {
  const wanted = accepts(FORMS.map(([type]) => type));
  const form = FORMS.find(([type]) => type === wanted)?.[1];
  if (!form) {
    throw apiError('not_acceptable', 'A recording comes as application/json, audio/mpeg or audio/wav.');
  }
  if (form === 'audio/mpeg' && channels === 'mono') {
    throw apiError('not_acceptable', 'The MP3 is stereo; mono comes as audio/wav.');
  }
  return form;
}

const missing = () => apiError('recording_not_found');

/** Writes recordings as answers, from wherever they are kept. */
export class RecordingFiles {
  readonly #storage: ObjectStorage;
  /** Where an object lies while it is decoded, and where it is removed from should this process be killed. */
  readonly #near: DiskStorage;

  constructor(storage: ObjectStorage, dataDir: string) {
    this.#storage = storage;
    this.#near = new DiskStorage(dataDir);
  }

  /** Sends the MP3 as it is; ranges too where it is on this machine's disk. Throws 404 `recording_not_found`. */
  async sendMp3(response: Response, key: string): Promise<void> {
    response.set({ 'Content-Type': 'audio/mpeg', 'Cache-Control': 'private, no-store' });
    if (this.#storage instanceof DiskStorage) {
      await sendFileFromDisk(response, this.#storage.path(key), missing);
      return;
    }
    const object = await this.#storage.open(key);
    if (!object) throw missing();
    response.set('Content-Length', String(object.sizeBytes));
    await sendTo(response, object.content);
  }

  /** Decoded while it is sent. Throws 404 `recording_not_found`. */
  async sendWav(response: Response, key: string, channels: Channels): Promise<void> {
    if (this.#storage instanceof DiskStorage) {
      await sendAsWav(response, this.#storage.path(key), channels);
      return;
    }
    const part = `${PARTS}/${newId()}`;
    try {
      const object = await this.#storage.open(key);
      if (!object) throw missing();
      await this.#near.put(part, object.content, object.sizeBytes);
      await sendAsWav(response, this.#near.path(part), channels);
    } finally {
      await this.#near.remove(part);
    }
  }
}

async function sendAsWav(response: Response, path: string, channels: Channels): Promise<void> {
  const file = await mp3AsWav(path, channels).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? missing() : error;
  });
  if (!file) throw missing();
  response.set({
    'Content-Type': 'audio/wav',
    'Cache-Control': 'private, no-store',
    'Content-Length': String(file.sizeBytes),
  });
  await sendTo(response, Readable.from(file.content, { objectMode: false }));
}

/** Whole, or until the client is gone, which needs no notice. */
async function sendTo(response: Response, content: Readable): Promise<void> {
  await pipeline(content, response).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE' && error.code !== 'ECONNRESET') throw error;
  });
}
