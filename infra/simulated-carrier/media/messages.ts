import { z } from 'zod';

/** What identifies a stream in its messages. */
export interface StreamIds {
  readonly accountSid: string;
  readonly callSid: string;
  readonly streamSid: string;
}

/**
 * Writes Twilio's side of a media stream (twilio.com/docs/voice/media-streams/websocket-messages). Sequence
 * numbers count all messages but `connected`; chunks count the media; both are strings.
 */
export class StreamMessages {
  readonly #ids: StreamIds;
  #sequence = 0;
  #chunk = 0;

  constructor(ids: StreamIds) {
    this.#ids = ids;
  }

  connected(): string {
    return JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' });
  }

  start(customParameters: Readonly<Record<string, string>>): string {
    const { accountSid, callSid, streamSid } = this.#ids;
    return this.#message('start', {
      start: {
        accountSid,
        streamSid,
        callSid,
        tracks: ['inbound'],
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
        customParameters,
      },
    });
  }

  /** @param timestampMs position of the frame in the stream */
  media(frame: Uint8Array, timestampMs: number): string {
    this.#chunk++;
    return this.#message('media', {
      media: {
        track: 'inbound',
        chunk: String(this.#chunk),
        timestamp: String(timestampMs),
        payload: Buffer.from(frame.buffer, frame.byteOffset, frame.length).toString('base64'),
      },
    });
  }

  dtmf(digit: string): string {
    return this.#message('dtmf', { dtmf: { track: 'inbound_track', digit } });
  }

  mark(name: string): string {
    return this.#message('mark', { mark: { name } });
  }

  stop(): string {
    const { accountSid, callSid } = this.#ids;
    return this.#message('stop', { stop: { accountSid, callSid } });
  }

  #message(event: string, body: object): string {
    this.#sequence++;
    const { streamSid } = this.#ids;
    return JSON.stringify({ event, sequenceNumber: String(this.#sequence), ...body, streamSid });
  }
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const streamSid = z.string();
const received = z.discriminatedUnion('event', [
  z.object({
    event: z.literal('media'),
    streamSid,
    media: z.object({ payload: z.string().min(4).regex(BASE64, 'is not base64') }),
  }),
  z.object({ event: z.literal('mark'), streamSid, mark: z.object({ name: z.string().min(1) }) }),
  z.object({ event: z.literal('clear'), streamSid }),
]);
export type ReceivedMessage =
  | { readonly event: 'media'; readonly audio: Uint8Array }
  | { readonly event: 'mark'; readonly name: string }
  | { readonly event: 'clear' };

/** Reads what the other side sent. Throws for what Twilio would not take: error 31951, invalid message. */
export function readMessage(text: string, expectedStreamSid: string): ReceivedMessage {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error('not JSON');
  }
  const parsed = received.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    throw new Error(`${issue.path.join('.')} ${issue.message}`.trim());
  }
  const message = parsed.data;
  if (message.streamSid !== expectedStreamSid) throw new Error('streamSid is of another stream');
  switch (message.event) {
    case 'media':
      return { event: 'media', audio: Buffer.from(message.media.payload, 'base64') };
    case 'mark':
      return { event: 'mark', name: message.mark.name };
    case 'clear':
      return { event: 'clear' };
  }
}
