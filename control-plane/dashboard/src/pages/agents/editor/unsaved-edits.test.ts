import { expect, it } from 'vitest';
import { storedForm } from './form-fixture.js';
import { UnsavedEdits } from './unsaved-edits.js';

const edit = { begun: storedForm, edited: { ...storedForm, name: 'Bea' } };

it('keeps what is not saved over the end of a session, until its editor shows it again', () => {
  const edits = new UnsavedEdits();
  const end = edits.watch('ada', () => edit);
  expect(edits.of('ada')).toBeUndefined();
  edits.keep();
  end();
  expect([edits.isOpen, edits.isKept]).toEqual([false, true]);
  expect(edits.of('bob')).toBeUndefined();
  expect(edits.of('ada')).toEqual(edit);
  edits.drop('ada');
  expect(edits.isKept).toBe(false);
});

it('keeps nothing of an editor that was left', () => {
  const edits = new UnsavedEdits();
  edits.watch('ada', () => edit)();
  edits.keep();
  expect(edits.isKept).toBe(false);
});

it('keeps nothing of who signed out', () => {
  const edits = new UnsavedEdits();
  edits.watch('ada', () => edit);
  edits.keep();
  edits.dropAll();
  expect([edits.isOpen, edits.isKept]).toEqual([false, false]);
});
