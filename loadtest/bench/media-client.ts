import { FRAME_BYTES, FRAME_MS, MULAW_SILENCE } from '@voice/shared/audio/g711';
import { WebSocket } from 'ws';
import type { AgentListener, CallerLine } from './caller-line.js';
import type { Utterance } from './speech.js';

const SILENT_FRAME = Buffer.alloc(FRAME_BYTES, MULAW_SILENCE).toString('base64');

export interface StreamStart {
  readonly url: string;
  readonly callId: string;
  readonly token: string;
}

/**
 * The carrier's end of one Twilio media stream: sends a frame on request, plays what it gets in real
 * time, returns marks when they were played or cleared.
 */
export class MediaClient implements CallerLine {
  readonly #socket: WebSocket;
  readonly #events: AgentListener;
  readonly #streamSid: string;
  #sequence = 1;
  #chunk = 0;
  #playedUntil = 0;
  #marks: { readonly name: string; readonly due: number }[] = [];

  private constructor(socket: WebSocket, events: AgentListener, callId: string) {
    this.#socket = socket;
    this.#events = events;
    this.#streamSid = `MZ${callId.replaceAll('-', '')}`;
    socket.on('message', (data: Buffer) => this.#receive(data.toString('utf8')));
    socket.on('close', events.onClosed);
    socket.on('error', () => {});
  }

  static open(start: StreamStart, events: AgentListener): Promise<MediaClient> {
    const socket = new WebSocket(start.url, { perMessageDeflate: false });
    const client = new MediaClient(socket, events, start.callId);
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.once('open', () => {
        client.#start(start);
        resolve(client);
      });
    });
  }

  isPlaying(now: number): boolean {
    return this.#playedUntil > now;
  }

  get playedUntil(): number {
    return this.#playedUntil;
  }

  sendSpeech(utterance: Utterance, frame: number, now: number): void {
    this.sendFrame(Buffer.from(utterance.frames[frame]!).toString('base64'), now);
  }

  sendSilence(now: number): void {
    this.sendFrame(SILENT_FRAME, now);
  }

  /** Sends one 20 ms frame; `payload` is base64. Returns the marks that are due. */
  sendFrame(payload: string, now: number): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    this.#chunk += 1;
    this.#send({
      event: 'media',
      media: {
        track: 'inbound',
        chunk: String(this.#chunk),
        timestamp: String((this.#chunk - 1) * FRAME_MS),
        payload,
      },
    });
    while (this.#marks[0] && this.#marks[0].due <= now) this.#returnMark(this.#marks.shift()!.name);
  }

  close(): void {
    if (this.#socket.readyState === WebSocket.OPEN) {
      this.#send({ event: 'stop', stop: { accountSid: 'AC0', callSid: 'CA0' } });
    }
    this.#socket.close();
  }

  #start({ callId, token }: StreamStart): void {
    this.#socket.send(JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' }));
    this.#send({
      event: 'start',
      start: {
        streamSid: this.#streamSid,
        accountSid: 'AC0',
        callSid: `CA${callId.replaceAll('-', '')}`,
        tracks: ['inbound'],
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
        customParameters: { call_id: callId, token },
      },
    });
  }

  #send(message: Readonly<Record<string, unknown>>): void {
    const sequenceNumber = String(this.#sequence++);
    this.#socket.send(JSON.stringify({ ...message, sequenceNumber, streamSid: this.#streamSid }));
  }

  #receive(text: string): void {
    const at = performance.now();
    const message = JSON.parse(text) as {
      event: string;
      media?: { payload: string };
      mark?: { name: string };
    };
    switch (message.event) {
      case 'media': {
        const lastsMs = Buffer.byteLength(message.media!.payload, 'base64') / 8;
        const dryMs = Math.max(0, at - this.#playedUntil);
        this.#playedUntil = Math.max(this.#playedUntil, at) + lastsMs;
        this.#events.onAudio(at, lastsMs, dryMs);
        return;
      }
      case 'mark':
        this.#marks.push({ name: message.mark!.name, due: this.#playedUntil });
        return;
      case 'clear':
        this.#playedUntil = at;
        for (const { name } of this.#marks.splice(0)) this.#returnMark(name);
        this.#events.onClear(at);
        return;
      default:
        throw new Error(`a carrier does not know the event ${message.event}`);
    }
  }

  #returnMark(name: string): void {
    this.#send({ event: 'mark', mark: { name } });
  }
}
