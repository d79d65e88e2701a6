import { describe, expect, it } from 'vitest';
import { humanLine } from './log-lines.js';

const plain = { prefix: 'worker-1', index: 0, colour: false };

describe('a log line for a reader', () => {
  it('shows time, level, message and fields, without what the prefix says', () => {
    const line = JSON.stringify({
      level: 40,
      time: '2026-01-02T03:04:05.678Z',
      pid: 7,
      name: 'media-plane',
      call_id: 'c1',
      why: 'too slow',
      msg: 'budget passed',
    });
    expect(humanLine(line, plain)).toBe(
      'worker-1 │ 03:04:05.678 WARN  budget passed  call_id=c1 why="too slow"',
    );
  });

  it('of a request that went well is short, and is left out between the processes', () => {
    const request = (route: string, status: number) =>
      humanLine(
        JSON.stringify({
          level: 30,
          time: 0,
          msg: 'request',
          method: 'GET',
          route,
          status,
          request_id: 'r1',
        }),
        plain,
      );
    expect(request('/api/v1/calls', 200)).toMatch(
      /info {2}request {2}method=GET route=\/api\/v1\/calls status=200$/,
    );
    expect(request('/api/v1/calls', 404)).toContain('request_id=r1');
    expect(request('/internal/events', 200)).toBeUndefined();
    expect(request('/internal/events', 503)).toContain('status=503');
  });

  it.each(['plain text', '{"not":"a log line"}', '{broken'])('leaves %s as it is', (line) => {
    expect(humanLine(line, plain)).toBe(`worker-1 │ ${line}`);
  });

  it('is coloured only where asked', () => {
    expect(humanLine('x', { ...plain, colour: true })).toContain('\u001b[');
    expect(humanLine('x', plain)).not.toContain('\u001b[');
  });
});
