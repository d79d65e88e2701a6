import { systemClock } from '@voice/shared/clock/clock';
import { testerServerMessage } from '@voice/shared/contracts/tester-protocol';
import { WebSocket } from 'ws';
import { z } from 'zod';
import type { ApiClient } from '../../installation/api-client.js';
import { Playback } from './playback.js';
import { type SoundPrograms, startSoundProgram, TALK_BYTES_PER_MS, TALK_RATE } from './sound-programs.js';
import { TalkNarration } from './talk-narration.js';
import type { Terminal } from './terminal.js';

/** What a message of the microphone may hold, in ms. */
const MAX_CHUNK_MS = 200;

const sessionCreated = z.object({ session_id: z.string(), stream_url: z.string(), token: z.string() });

export interface TalkOptions {
  readonly api: ApiClient;
  readonly agentId: string;
  readonly programs: SoundPrograms;
  /** The microphone is muted while the agent speaks: for loudspeakers. */
  readonly halfDuplex: boolean;
  readonly terminal: Terminal;
  /** Hangs up. */
  readonly signal: AbortSignal;
}

/** Talks to the agent with this machine's microphone and speaker, until either side ends it. The exit code. */
export async function talk(options: TalkOptions): Promise<number> {
  const { api, agentId, programs, halfDuplex, terminal, signal } = options;
  const path = `/api/v1/agents/${agentId}/test/websocket`;
  const { value: session } = await api.request(sessionCreated, 'POST', path, {});
  const query = `t=${session.token}&encoding=pcm16&sample_rate=${TALK_RATE}`;
  const socket = new WebSocket(`${session.stream_url}?${query}`, { perMessageDeflate: false });
  await new Promise<void>((resolve, reject) => socket.once('open', resolve).once('error', reject));

  const narration = new TalkNarration();
  let failure: string | undefined;
  const hangUp = () => send({ type: 'stop' });
  const fail = (message: string) => {
    failure ??= message;
    hangUp();
  };
  const send = (message: object) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  const speaker = startSoundProgram(programs.play, fail);
  const microphone = startSoundProgram(programs.record, fail);
  const playback = new Playback({
    clock: systemClock,
    write: (pcm) => speaker.stdin?.write(pcm),
    onMark: (name) => send({ type: 'mark', name }),
  });
  microphone.stdout?.on('data', (chunk: Buffer) => {
    const most = MAX_CHUNK_MS * TALK_BYTES_PER_MS;
    for (const pcm of whole(chunk)) {
      for (let at = 0; at < pcm.length; at += most) {
        const part = pcm.subarray(at, at + most);
        if (socket.readyState !== WebSocket.OPEN) return;
        socket.send(halfDuplex && playback.isAudible ? Buffer.alloc(part.length) : part);
      }
    }
  });
  const whole = wholeSamples();
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      playback.add(data);
      return;
    }
    const parsed = testerServerMessage.safeParse(JSON.parse(data.toString('utf8')));
    // There may be more messages some day than this knows.
    if (!parsed.success) return;
    const message = parsed.data;
    if (message.type === 'mark') playback.mark(message.name);
    if (message.type === 'clear') playback.clear();
    const shown = narration.show(message);
    if (shown) terminal.show(shown);
  });
  socket.on('error', () => {});

  terminal.say(
    halfDuplex
      ? 'Talk when the agent is silent: the microphone is muted while it speaks. Ctrl-C hangs up.'
      : 'Talk now; Ctrl-C hangs up. Without headphones the agent hears itself: use --half-duplex.',
  );
  signal.addEventListener('abort', hangUp, { once: true });
  await new Promise((resolve) => socket.once('close', resolve));
  signal.removeEventListener('abort', hangUp);
  playback.close();
  microphone.stop();
  speaker.stop();
  if (narration.latency) terminal.say(narration.latency);
  terminal.say(`Result: GET /api/v1/test-sessions/${session.session_id}/result`);
  if (failure === undefined) return 0;
  terminal.say(`Stopped: ${failure}`);
  return 1;
}

/** Puts the bytes of a stream together to whole 16-bit samples. */
function wholeSamples(): (chunk: Buffer) => Buffer[] {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const even = all.length - (all.length % 2);
    rest = Buffer.from(all.subarray(even));
    return even === 0 ? [] : [all.subarray(0, even)];
  };
}

/** Explains what to do on a machine without a microphone that a program can read. */
export function noSoundPrograms(apiUrl: string): string {
  return `This machine has neither arecord and aplay (Debian: alsa-utils) nor SoX's rec and play (Debian and Homebrew: sox).
Install one of them, or talk in a browser: “npm run login” prints a link that signs in; then open ${apiUrl}/talk`;
}
