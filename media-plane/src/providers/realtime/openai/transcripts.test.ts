import { expect, it } from 'vitest';
import type { RealtimeEvent } from '../port.js';
import { Transcripts } from './transcripts.js';

it('keeps of a turn what a person could say, however long its server goes on', () => {
  const emitted: RealtimeEvent[] = [];
  const transcripts = new Transcripts((event) => emitted.push(event));
  for (let n = 0; n < 10; n++) transcripts.onDelta('item', 'x'.repeat(9000));
  expect(emitted.at(-1)).toMatchObject({ text: 'x'.repeat(20_000), final: false });
});
