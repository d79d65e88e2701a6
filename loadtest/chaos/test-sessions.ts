import { setTimeout as sleep } from 'node:timers/promises';
import { FRAME_BYTES, FRAME_MS, MULAW_SILENCE } from '@voice/shared/audio/g711';
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { ReplicasClient } from './replicas-client.js';

const session = z.object({ session_id: z.string(), stream_url: z.string(), token: z.string() });

/** How long a session lasts, in ms; every third one just goes away. */
const LASTS_MS = 12_000;
const BETWEEN_MS = 1000;
const SILENCE = Buffer.alloc(FRAME_BYTES, MULAW_SILENCE);
/** Silence before each phrase, in frames. */
const PAUSE_FRAMES = 60;

/** Holds test sessions with an agent, one after the other, whatever happens to the system. */
export class TestSessions {
  /** The sessions' ids, which are their calls' ids. */
  readonly ids: string[] = [];
  /** What no log may hold. */
  readonly tokens: string[] = [];
  #stopped = false;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly client: ReplicasClient,
    private readonly agentId: string,
    /** What the tester says, in mu-law. */
    private readonly phrases: readonly Buffer[],
  ) {}

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let number = 0; !this.#stopped; number++) {
      const path = `/api/v1/agents/${this.agentId}/test/websocket`;
      const answer = await this.client.attempt('POST', path, {});
      const { data } = session.safeParse(answer?.json);
      if (data) {
        this.ids.push(data.session_id);
        this.tokens.push(data.token);
        await this.#talk(`${data.stream_url}?t=${data.token}`, number);
      }
      await sleep(BETWEEN_MS);
    }
  }

  /** Talks until the time is over or the connection breaks. Never rejects. */
  #talk(url: string, number: number): Promise<void> {
    return new Promise((resolve) => {
      const socket = new WebSocket(url);
      let frame = -PAUSE_FRAMES;
      const phrase = this.phrases[number % Math.max(1, this.phrases.length)] ?? SILENCE;
      const ticking = setInterval(() => {
        if (socket.readyState !== WebSocket.OPEN) return;
        const at = frame++ * FRAME_BYTES;
        const isSpeech = at >= 0 && at + FRAME_BYTES <= phrase.length;
        socket.send(isSpeech ? phrase.subarray(at, at + FRAME_BYTES) : SILENCE);
      }, FRAME_MS);
      const over = setTimeout(() => {
        if (number % 3 === 0) socket.terminate();
        else if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: 'stop' }));
        // A frozen worker answers no stop.
        setTimeout(() => socket.terminate(), BETWEEN_MS);
      }, LASTS_MS);
      socket.on('message', (data: Buffer, isBinary) => {
        if (isBinary || socket.readyState !== WebSocket.OPEN) return;
        const message = JSON.parse(data.toString('utf8')) as { type: string };
        if (message.type === 'mark') socket.send(JSON.stringify(message));
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        clearInterval(ticking);
        clearTimeout(over);
        resolve();
      });
    });
  }
}
