import { AudioConverter } from '@voice/shared/audio/converter';
import type { Page, Route } from 'playwright-core';
import type { LossyRelays } from './lossy-relay.js';

/** Hz of what the page is heard to play. */
export const HEARD_RATE = 8000;
/** Hz at which Chromium gives out what WebRTC brings. */
const PLAYED_RATE = 48_000;

interface Heard {
  /** L16, base64, of each piece that has not been fetched yet. */
  readonly pieces: string[];
  readonly connections: RTCPeerConnectionLike[];
}
interface RTCPeerConnectionLike {
  readonly connectionState: string;
}
declare global {
  // Of the page, not of this process.
  var heard: Heard;
}

export interface Offer {
  readonly pcId: string | undefined;
  readonly restartPc: boolean;
}

/** The page `/talk`: what it plays is kept, and its offers' answers lead through the relays. */
export class TalkPage {
  readonly offers: Offer[] = [];
  /** What the console said of errors, for a failed test's message. */
  readonly errors: string[] = [];
  readonly page: Page;
  readonly #heard: Uint8Array[] = [];
  readonly #narrower = new AudioConverter({
    from: { encoding: 'l16', sampleRate: PLAYED_RATE },
    to: { encoding: 'l16', sampleRate: HEARD_RATE },
  });

  private constructor(page: Page) {
    this.page = page;
  }

  static async open(page: Page, { link, relays }: { link: string; relays: LossyRelays }): Promise<TalkPage> {
    const talk = new TalkPage(page);
    page.on('console', (message) => message.type() === 'error' && talk.errors.push(message.text()));
    page.on('pageerror', (error) => talk.errors.push(String(error)));
    await page.addInitScript(listen, PLAYED_RATE);
    await page.route('**/api/v1/test-sessions/*/offer', (route) => talk.#relay(route, relays));
    await page.goto(link);
    return talk;
  }

  phase(): Promise<string | null> {
    return this.page.getAttribute('main', 'data-phase');
  }

  async untilPhase(phase: string, withinMs: number): Promise<void> {
    await this.page.waitForSelector(`main[data-phase="${phase}"]`, { timeout: withinMs });
  }

  async untilActivity(activity: string, withinMs: number): Promise<void> {
    await this.page.waitForSelector(`main[data-activity="${activity}"]`, { timeout: withinMs });
  }

  lines(role: 'caller' | 'agent'): Promise<string[]> {
    return this.page.locator(`#lines li.${role} .text`).allTextContents();
  }

  /** Waits until a line of the role matches. */
  async untilSaid(role: 'caller' | 'agent', text: RegExp, withinMs: number): Promise<void> {
    await this.page
      .locator(`#lines li.${role}:not(.interim) .text`, { hasText: text })
      .first()
      .waitFor({ timeout: withinMs });
  }

  /** Everything that was played so far: L16 at `HEARD_RATE`. */
  async heard(): Promise<Uint8Array> {
    const pieces = await this.page.evaluate(() => globalThis.heard.pieces.splice(0));
    for (const piece of pieces) this.#heard.push(this.#narrower.convert(Buffer.from(piece, 'base64')));
    return new Uint8Array(Buffer.concat(this.#heard));
  }

  async #relay(route: Route, relays: LossyRelays): Promise<void> {
    const body = route.request().postDataJSON() as { pc_id?: string; restart_pc?: boolean };
    this.offers.push({ pcId: body.pc_id, restartPc: body.restart_pc === true });
    const response = await route.fetch();
    if (response.status() !== 200) return route.fulfill({ response });
    const answer = (await response.json()) as { sdp: string };
    return route.fulfill({ response, json: { ...answer, sdp: await relays.through(answer.sdp) } });
  }
}

/** An AudioData and a MediaStreamTrackProcessor as the page has them (WebCodecs, MediaStreamTrack Insertable Media). */
interface PlayedAudio {
  readonly numberOfFrames: number;
  readonly sampleRate: number;
  copyTo(to: Float32Array, options: { planeIndex: number; format: 'f32-planar' }): void;
  close(): void;
}
interface Processor {
  readonly readable: ReadableStream<PlayedAudio>;
}

/**
 * Runs in the page, before its own scripts: keeps what remote tracks play, as samples. They wait in a queue of half
 * a minute when the page is too busy to take them.
 */
function listen(playedRate: number): void {
  const scope = globalThis as unknown as {
    heard: Heard;
    RTCPeerConnection: new (...options: unknown[]) => EventTarget & RTCPeerConnectionLike;
    MediaStreamTrackProcessor: new (options: { track: object; maxBufferSize: number }) => Processor;
    btoa(text: string): string;
  };
  scope.heard = { pieces: [], connections: [] };
  const { heard } = scope;
  const hear = async (track: object) => {
    const processor = new scope.MediaStreamTrackProcessor({ track, maxBufferSize: 3000 });
    const reader = processor.readable.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const audio = read.value;
      if (audio.sampleRate !== playedRate) throw new Error(`played at ${audio.sampleRate} Hz`);
      const plane = new Float32Array(audio.numberOfFrames);
      audio.copyTo(plane, { planeIndex: 0, format: 'f32-planar' });
      audio.close();
      const samples = Int16Array.from(plane, (sample) =>
        Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_767))),
      );
      heard.pieces.push(scope.btoa(String.fromCharCode(...new Uint8Array(samples.buffer))));
    }
  };
  const Original = scope.RTCPeerConnection;
  scope.RTCPeerConnection = class extends Original {
    constructor(...options: unknown[]) {
      super(...options);
      heard.connections.push(this);
      this.addEventListener('track', (event) => void hear((event as Event & { track: object }).track));
    }
  };
}
