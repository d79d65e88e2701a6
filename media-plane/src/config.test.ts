import { describe, expect, it } from 'vitest';
import { readConfig } from './config.js';

const needed = { INTERNAL_SECRET: 'a secret of the planes' };
const webRtc = (env: NodeJS.ProcessEnv) => readConfig({ ...needed, ...env }).webRtc;

describe('the addresses of the control plane', () => {
  const urls = (list: string) => readConfig({ ...needed, CONTROL_PLANE_URL: list }).controlPlaneUrls;

  it('are one for each replica, separated by commas', () => {
    expect(urls('http://a:8080')).toEqual(['http://a:8080']);
    expect(urls('http://a:8080/, https://b')).toEqual(['http://a:8080', 'https://b']);
  });

  it('are refused by name where one of them is none', () => {
    expect(() => urls('http://a:8080,nowhere')).toThrow('CONTROL_PLANE_URL');
    expect(() => urls('http://a:8080,')).toThrow('CONTROL_PLANE_URL');
  });
});

describe('the configuration of WebRTC', () => {
  it('takes a free port on loopback and the worker in the cache by default', () => {
    const { port, address, worker } = webRtc({ XDG_CACHE_HOME: '/var/cache' });
    expect({ port, address }).toEqual({
      port: 0,
      address: { ip: '127.0.0.1', announced: undefined },
    });
    expect(worker).toMatchObject({ binary: expect.stringMatching(/^\/var\/cache\//), isGiven: false });
  });

  it('takes port, announced address and worker as given', () => {
    const { port, address, worker } = webRtc({
      MEDIA_HOST: '0.0.0.0',
      WEBRTC_PORT: '40000',
      WEBRTC_ANNOUNCED_ADDRESS: 'media.example.com',
      MEDIASOUP_WORKER_BIN: '/opt/mediasoup-worker',
    });
    expect(port).toBe(40_000);
    expect(address).toEqual({ ip: '0.0.0.0', announced: 'media.example.com' });
    expect(worker).toMatchObject({ binary: '/opt/mediasoup-worker', isGiven: true });
  });

  it.each([
    [
      'WEBRTC_ANNOUNCED_ADDRESS',
      'http://media',
      /WEBRTC_ANNOUNCED_ADDRESS: expected an IP address or a host name, got 'http:\/\/media'/,
    ],
    ['WEBRTC_PORT', '70000', /WEBRTC_PORT/],
  ])('names %s when it is %s', (name, value, problem) => {
    expect(() => webRtc({ [name]: value })).toThrow(problem);
  });
});
