import { systemClock } from '@voice/shared/clock/clock';
import { createAddressPolicy } from '@voice/shared/egress/address-policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebhookReceiver } from '../../testing/webhook-receiver.js';
import { SEND_TIMEOUT_MS, Sender } from './sender.js';

let receiver: WebhookReceiver;
beforeEach(async () => {
  receiver = await WebhookReceiver.start();
});
afterEach(() => receiver.close());

function send({
  allow = ['127.0.0.0/8'],
  headerPrefix = 'X-Service-',
  signal = new AbortController().signal,
  timeoutMs = SEND_TIMEOUT_MS,
} = {}) {
  const policy = createAddressPolicy(allow);
  const sender = new Sender({ policy, clock: systemClock, headerPrefix, timeoutMs });
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

  it('is a POST of JSON in UTF-8, to which a receiver has ten seconds to answer', async () => {
    let method: string | undefined;
    receiver.answer = (_sent, response) => {
      method = response.req.method;
      response.writeHead(204).end();
    };
    await send();
    expect(method).toBe('POST');
    expect(receiver.received[0]!.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': '8',
      'user-agent': 'webhooks/1.0',
    });
    expect(SEND_TIMEOUT_MS).toBe(10_000);
  });

  it.each([200, 299])('succeeds with %i', async (status) => {
    receiver.answer = (_sent, response) => response.writeHead(status, { 'retry-after': '120' }).end();
    expect(await send()).toEqual({ ok: true, status, error: null });
  });

  it.each([300, 301, 404, 500])('fails with %i', async (status) => {
    receiver.answer = (_sent, response) => response.writeHead(status).end();
    expect(await send()).toEqual({
      ok: false,
      status,
      error: `The receiver answered ${status}.`,
      retryAfterMs: undefined,
    });
  });

  it('says for how long the receiver asked to wait', async () => {
    receiver.answer = (_sent, response) => response.writeHead(503, { 'retry-after': '120' }).end();
    expect(await send()).toMatchObject({ ok: false, status: 503, retryAfterMs: 120_000 });
  });

  it('does not read a long answer to its end', async () => {
    receiver.answer = (_sent, response) => response.writeHead(200).end(Buffer.alloc(100_000, 'x'));
    expect(await send()).toEqual({ ok: true, status: 200, error: null });
  });

  it('gives up on a receiver that does not answer, or not to the end', async () => {
    receiver.answer = () => {};
    expect(await send({ timeoutMs: 150 })).toMatchObject({
      ok: false,
      status: null,
      error: expect.stringContaining('egress_timed_out'),
    });
    receiver.answer = (_sent, response) => response.writeHead(200).write('a beginning');
    expect(await send({ timeoutMs: 150 })).toMatchObject({ ok: false, status: null });
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
