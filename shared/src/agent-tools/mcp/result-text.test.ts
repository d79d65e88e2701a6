import { expect, it } from 'vitest';
import { resultText } from './result-text.js';

it("a tool's result is read by the model as its texts, one after another", () => {
  const text = resultText({
    content: [
      { type: 'text', text: 'Shipped.' },
      { type: 'image', mimeType: 'image/png' },
      { type: 'resource_link', name: 'Label', uri: 'https://shop.example/label' },
      { type: 'resource', resource: { uri: 'file:///note', text: 'Fragile.' } },
    ],
    structuredContent: { status: 'shipped' },
  });
  expect(text).toBe('Shipped.\n[image/png]\nLabel: https://shop.example/label\nFragile.');
});

it('a result without texts is read as its data, and one without anything as done', () => {
  expect(resultText({ content: [], structuredContent: { status: 'shipped' } })).toBe('{"status":"shipped"}');
  expect(resultText({ content: [] })).toBe('Done.');
});
