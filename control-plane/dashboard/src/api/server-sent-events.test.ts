import { describe, expect, it } from 'vitest';
import { readEvents, takeEvents } from './server-sent-events.js';

describe('server-sent events', () => {
  it('are taken when they are whole; the rest waits', () => {
    expect(takeEvents('event: delta\ndata: {"text":"He"}\n\nevent: del')).toEqual({
      events: [{ event: 'delta', data: '{"text":"He"}', id: null }],
      rest: 'event: del',
    });
  });

  it('may have an id, several lines, and no name', () => {
    expect(takeEvents('id: 7\ndata: a\ndata:b\n\n').events).toEqual([
      { event: 'message', data: 'a\nb', id: '7' },
    ]);
  });

  it('are not the comments that keep a connection', () => {
    expect(takeEvents(': still here\n\n').events).toEqual([]);
  });

  it('are read from an answer that comes in pieces', async () => {
    const bytes = new TextEncoder().encode('data: fünf\r\n\r\ndata: x\n\n');
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 3) controller.enqueue(bytes.slice(at, at + 3));
        controller.close();
      },
    });
    const read = [];
    for await (const { data } of readEvents(new Response(body))) read.push(data);
    expect(read).toEqual(['fünf', 'x']);
  });
});
