import { AudioConverter } from '@voice/shared/audio/converter';
import { type AudioFormat, PCMU_8K } from '@voice/shared/audio/format';
import { type TesterServerMessage, testerServerMessage } from '@voice/shared/contracts/tester-protocol';
import { WebSocket } from 'ws';
import type { Conversation } from '../../emulators/telnyx/phone.js';
import { expectStatus, type Tenant } from '../../system/tenant.js';
import { LivePerson } from './live-person.js';

export interface TesterCall {
  readonly callId: string;
  readonly messages: readonly TesterServerMessage[];
  hangUp(): void;
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
}

/** Has the person talk to the agent over a WebSocket test session. */
export async function talkByWebSocket(
  tenant: Tenant,
  agentId: string,
  conversation: Conversation,
  format: AudioFormat,
): Promise<TesterCall> {
  const made = await tenant.request('POST', `/api/v1/agents/${agentId}/test/websocket`, {});
  const { session_id, stream_url, token } = expectStatus(201, made).json as Record<string, string>;
  const encoding = format.encoding === 'pcmu' ? 'mulaw' : 'pcm16';
  const query = `t=${token}&encoding=${encoding}&sample_rate=${format.sampleRate}`;
  const socket = new WebSocket(`${stream_url}?${query}`);
  const messages: TesterServerMessage[] = [];
  const fromAgent = new AudioConverter({ from: format, to: PCMU_8K });
  const toAgent = new AudioConverter({ from: PCMU_8K, to: format });
  const send = (data: string | Uint8Array) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(data);
  };
  const sendJson = (message: object) => send(JSON.stringify(message));
  let person: LivePerson | undefined;
  const hangUp = () => sendJson({ type: 'stop' });
  const played = (name: string) => sendJson({ type: 'mark', name });
  const closed = new Promise<number>((resolve) =>
    socket.once('close', (code) => {
      person?.close();
      resolve(code);
    }),
  );
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      person?.loudspeaker.audio(Buffer.from(fromAgent.convert(data)));
      return;
    }
    const message = testerServerMessage.parse(JSON.parse(data.toString('utf8')));
    messages.push(message);
    if (message.type === 'mark') person?.loudspeaker.mark(message.name);
    if (message.type === 'clear') for (const name of person?.loudspeaker.clear() ?? []) played(name);
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  person = new LivePerson({
    conversation,
    say: (frame) => {
      const audio = toAgent.convert(frame);
      if (audio.length > 0) send(audio);
    },
    onMark: played,
    hangUp,
  });
  return { callId: session_id!, messages, hangUp, closed };
}
