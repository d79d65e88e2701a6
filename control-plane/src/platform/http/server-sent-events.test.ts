import type { AddressInfo } from 'node:net';
import express, { type Response } from 'express';
import { describe, expect, it } from 'vitest';
import { EventStream, MAX_RECORDED_BYTES, RecordedEvents } from './server-sent-events.js';

/** What a client gets from `respond`. */
async function received(respond: (response: Response) => void): Promise<string> {
  const app = express().get('/', (_request, response) => {
    respond(response);
    response.end();
  });
  const server = app.listen(0, '127.0.0.1');
  try {
    await new Promise((resolve) => server.once('listening', resolve));
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    return await answer.text();
  } finally {
    server.close();
  }
}

describe('recorded events', () => {
  it('are kept as they go over the wire', async () => {
    let kept = '';
    const text = await received((response) => {
      const events = new RecordedEvents(new EventStream(response));
      events.send('delta', { text: 'Grüße\n' });
      events.last('done', {});
      kept = events.recorded().body.toString();
    });
    expect(text).toBe('event: delta\ndata: {"text":"Grüße\\n"}\n\nevent: done\ndata: {}\n\n');
    expect(kept).toBe(text);
  });

  it('end where they are longer than what is kept; the last one always fits', async () => {
    const text = await received((response) => {
      const events = new RecordedEvents(new EventStream(response));
      events.send('delta', { text: 'x'.repeat(MAX_RECORDED_BYTES - 100) });
      expect(() => events.send('delta', { text: 'y'.repeat(100) })).toThrow(/longer than 4 MiB/);
      events.last('error', { code: 'answer_too_large' });
      expect(events.recorded().body.length).toBeLessThan(MAX_RECORDED_BYTES + 100);
    });
    expect(text).not.toContain('y');
    expect(text).toMatch(/event: error\ndata: .*answer_too_large/);
  });
});
