import { describe, expect, it } from 'vitest';
import { connectionError, webSocketUrl } from './provider-socket.js';

describe('a provider connection that ended', () => {
  it.each([
    [{ opened: false, status: 401, reason: '' }, 'stt_unauthorized', false],
    [{ opened: false, status: 402, reason: '' }, 'stt_unauthorized', false],
    [{ opened: false, status: 400, reason: '' }, 'stt_bad_request', false],
    [{ opened: false, status: 404, reason: '' }, 'stt_bad_request', false],
    [{ opened: false, status: 429, reason: '' }, 'stt_rate_limited', true],
    [{ opened: false, status: 503, reason: '' }, 'stt_unavailable', true],
    [{ opened: false, closeCode: 1006, reason: '' }, 'stt_unavailable', true],
    [{ opened: true, closeCode: 1006, reason: '' }, 'stt_disconnected', true],
    [{ opened: true, closeCode: 1011, reason: 'NET-0001' }, 'stt_disconnected', true],
    [{ opened: true, closeCode: 1008, reason: 'policy' }, 'stt_bad_request', false],
  ])('by %o is the error %s', (end, code, retryable) => {
    expect(connectionError('stt', 'deepgram', end)).toMatchObject({ code, retryable, provider: 'deepgram' });
  });
});

describe('the address of a provider', () => {
  it('may be given as http or ws, with or without a path', () => {
    expect(webSocketUrl('https://api.example.com', '/v1/listen').href).toBe(
      'wss://api.example.com/v1/listen',
    );
    expect(webSocketUrl('ws://127.0.0.1:80/', '/v1/listen').href).toBe('ws://127.0.0.1/v1/listen');
    expect(webSocketUrl('http://proxy/deepgram', '/v1/listen').href).toBe('ws://proxy/deepgram/v1/listen');
  });
});
