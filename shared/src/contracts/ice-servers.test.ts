import { describe, expect, it } from 'vitest';
import { parseOption } from '../environment/environment.js';
import { iceServers } from './ice-servers.js';

describe('the variable ICE_SERVERS', () => {
  it('is a JSON list of servers as browsers take them', () => {
    const servers = [
      { urls: ['turn:turn.example.com:3478'], username: 'u', credential: 'c' },
      { urls: 'stun:stun.example.com' },
    ];
    expect(parseOption('ICE_SERVERS', iceServers, JSON.stringify(servers))).toEqual(servers);
    expect(parseOption('ICE_SERVERS', iceServers, '[]')).toEqual([]);
  });

  it.each([
    ['turn:x', /^ICE_SERVERS: expected a JSON list such as /],
    ['[{"urls":"http://turn.example.com"}]', /; 0\.urls: /],
    ['[{"url":"stun:x"}]', /; 0/],
    ['{"urls":"stun:x"}', /^ICE_SERVERS: expected a JSON list such as .*array/],
    [JSON.stringify(Array(11).fill({ urls: 'stun:x' })), /10/],
  ])('is refused with the place that is wrong: %s', (text, problem) => {
    expect(() => parseOption('ICE_SERVERS', iceServers, text)).toThrow(problem);
  });

  it('is refused without repeating its credentials', () => {
    const text = '[{"urls":"http://x","credential":"hush"}]';
    expect(() => parseOption('ICE_SERVERS', iceServers, text)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hush') }),
    );
  });
});
