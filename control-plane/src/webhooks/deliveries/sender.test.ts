import { systemClock } from '@voice/shared/clock/clock';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebhookReceiver } from '../../testing/webhook-receiver.js';
import { Sender } from './sender.js';

let receiver: WebhookReceiver;
beforeEach(async () => {
  receiver = await WebhookReceiver.start();
});
afterEach(() => receiver.close());

function send({
  allow = ['127.0.0.0/8'],
  headerPrefix = 'X-Service-',
  signal = new AbortController().signal,
} = {}) {
  const policy = createAddressPolicy(allow);
  const sender = new Sender({ policy, clock: systemClock, headerPrefix, timeoutMs: 150 });
  return sender.send(
    { url: receiver.url(), secret: 's', eventId: 'e', eventType: 'call.started', body: '{"ü":1}' },
    signal,
  );
}

describe('an attempt', () => {
  it('names its headers by the configured prefix', async () => {
    expect(await send({ headerPrefix: 'X-Acme-' })).toEqual({ ok: true, status: 204, error: null });
    expect(receiver.received[0]!.headers).toMatchObject({
      'x-acme-event': 'call.started',
      'x-acme-event-id': 'e',
      'x-acme-signature': expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/),
    });
    expect(receiver.received[0]!.body).toBe('{"ü":1}');
  });

  it('gives up on a receiver that does not answer, or not to the end', async () => {
    receiver.answer = () => {};
    expect(await send()).toMatchObject({
      ok: false,
      status: null,
      error: expect.stringContaining('egress_timed_out'),
    });
    receiver.answer = (_sent, response) => response.writeHead(200).write('a beginning');
    expect(await send()).toMatchObject({ ok: false, status: null });
  });

  it('fails for an answer that breaks off and for one that is no HTTP', async () => {
    receiver.answer = (_sent, response) => response.socket?.destroy();
    expect(await send()).toMatchObject({
      ok: false,
      status: null,
      error: expect.stringContaining('egress_failed'),
    });
    receiver.answer = (_sent, response) => response.socket?.end('nonsense\r\n\r\n');
    expect(await send()).toMatchObject({
      ok: false,
      status: null,
      error: expect.stringContaining('egress_failed'),
    });
  });

  it('is not made to an address that is not allowed', async () => {
    expect(await send({ allow: [] })).toMatchObject({
      ok: false,
      error: expect.stringContaining('egress_address_refused'),
    });
    expect(receiver.received).toEqual([]);
  });

  it('that is called off says nothing of the receiver', async () => {
    receiver.answer = () => {};
    await expect(send({ signal: AbortSignal.timeout(20) })).rejects.toThrow();
  });
});
