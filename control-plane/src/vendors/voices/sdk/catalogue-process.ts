/**
 * The process in which a vendor's SDK reads a catalogue: one list, then its end. It opens no connection: what the SDK
 * sends goes to the process that started it, which asks the vendor.
 */

import { answerText } from './answer-text.js';
import { LISTS_BY_SDK } from './lists.js';
import type { FromSdk, ToSdk } from './messages.js';

const send = (message: FromSdk) => void process.send?.(message);

let lastId = 0;
const waiting = new Map<number, (json: unknown) => void>();

const fetchByParent: typeof fetch = async (input, init) => {
  const { method, url, headers } = new Request(input, init);
  const id = ++lastId;
  const json = await new Promise<unknown>((resolve) => {
    waiting.set(id, resolve);
    send({ type: 'request', id, method, url, headers: Object.fromEntries(headers) });
  });
  waiting.delete(id);
  return new Response(answerText(json), { headers: { 'content-type': 'application/json' } });
};

process.on('message', (message: ToSdk) => {
  if (message.type === 'answer') {
    waiting.get(message.id)?.(message.json);
    return;
  }
  LISTS_BY_SDK[message.vendor](message, fetchByParent).then(
    (pages) => send({ type: 'listed', pages }),
    (error: unknown) => {
      // ElevenLabs' SDK exports no class of it.
      const reason = error instanceof Error && error.name === 'ParseError' ? 'form' : 'sdk';
      send({ type: 'failed', reason, message: String(error) });
    },
  );
});
process.on('disconnect', () => process.exit());
