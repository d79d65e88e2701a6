import type { ListenedDelivery } from '../webhook-listener.js';
import type { Command, Session } from './command.js';
import { forward, targetOf } from './forward.js';

async function receive(
  delivery: ListenedDelivery,
  target: URL | undefined,
  print: Session['print'],
): Promise<void> {
  const what = `${new Date().toISOString().slice(11, 19)}  ${delivery.eventType}  ${delivery.eventId}`;
  if (target === undefined) {
    print(what);
    return delivery.answer(200);
  }
  const startedAt = performance.now();
  try {
    const status = await forward(target, delivery);
    print(`${what}  → ${status} (${Math.round(performance.now() - startedAt)} ms)`);
    delivery.answer(status);
  } catch (error) {
    const failure = error instanceof Error ? error : new Error(String(error));
    print(`${what}  → ${failure.message}`);
    delivery.answer(failure);
  }
}

export const listenCommand: Command = {
  name: 'webhooks listen',
  arguments: '[--forward-to URL] [--events TYPE,TYPE]',
  summary: 'receive webhooks here and forward them, to localhost for example',
  values: 0,
  flags: ['forward-to', 'events'],
  run: async ({ voice, print, signal, flags }) => {
    const to = flags['forward-to'];
    const target = to === undefined ? undefined : targetOf(to);
    const eventTypes = flags.events?.split(',');
    for await (const message of voice.webhooks.listen({ eventTypes, signal })) {
      // Several at a time: the service sends the events of one call one after another.
      if (message.type === 'delivery') void receive(message, target, print);
      else {
        print(`Signing secret: ${message.secret}`);
        const where = target === undefined ? '' : ` and forwarding to ${target.href}`;
        print(
          `Listening for ${message.eventTypes.join(', ').replace(/^\*$/, 'all events')}${where} (Ctrl+C ends it)`,
        );
      }
    }
  },
};
