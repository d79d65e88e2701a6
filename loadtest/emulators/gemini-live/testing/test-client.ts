import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { ServerMessage } from '../answering.js';

const PATH = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent';

/** Returns a client that keeps all messages and can wait for one. */
export function connectClient(url: string, key = 'good') {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${PATH}?key=${key}`);
  const messages: ServerMessage[] = [];
  const frames: boolean[] = [];
  const waiting: (() => void)[] = [];
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    frames.push(isBinary);
    messages.push(JSON.parse(data.toString()) as ServerMessage);
    for (const wake of waiting.splice(0)) wake();
  });
  const closed = once(socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }));
  socket.on('error', () => {});
  const until = async (test: (message: ServerMessage) => boolean): Promise<ServerMessage> => {
    for (;;) {
      const found = messages.find(test);
      if (found) return found;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  return {
    messages,
    frames,
    closed,
    until,
    socket,
    send: (message: unknown) => socket.send(JSON.stringify(message)),
    async ready(setup: Record<string, unknown> = {}) {
      await once(socket, 'open');
      this.send({ setup: { model: 'models/gemini-3.8-live', ...setup } });
      await Promise.race([until((message) => message.setupComplete !== undefined), closed]);
    },
  };
}
