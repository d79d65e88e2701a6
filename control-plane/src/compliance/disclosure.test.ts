import { describe, expect, it } from 'vitest';
import { namesAnAi } from './disclosure.js';

describe('whether a disclosure names an AI', () => {
  it.each([
    ['en-US', 'Hello, this is an A.I. assistant.', true],
    ['en', 'Hello, this is a virtual agent.', true],
    ['en-GB', 'Hello, this is Ann.', false],
    ['de-DE', 'Guten Tag, hier spricht eine künstliche Intelligenz.', true],
    ['de-DE', 'Guten Tag, hier spricht Anna.', false],
    ['fr-FR', 'Bonjour, ici un assistant automatisé.', true],
    ['fr-FR', 'Bonjour, ici Anne.', false],
    ['es-ES', 'Hola, soy una máquina.', true],
    ['es-MX', 'Hola, soy Ana.', false],
    ['it-IT', 'Buongiorno, sono un assistente digitale.', true],
    ['it-IT', 'Buongiorno, sono Anna.', false],
    ['pt-BR', 'Olá, sou um robô.', true],
    ['pt-BR', 'Olá, sou a Ana.', false],
    ['nl-NL', 'Hallo, u spreekt met een geautomatiseerde assistent.', true],
    ['nl-NL', 'Hallo, u spreekt met Anna.', false],
    // In English anywhere: every listener knows.
    ['de-DE', 'Guten Tag, this is an artificial voice.', true],
  ])('%s: %s %s', (language, text, names) => {
    expect(namesAnAi(text, language)).toBe(names);
  });

  it('cannot be judged in a language whose words are not listed: any text counts, none does not', () => {
    expect([namesAnAi('こんにちは', 'ja-JP'), namesAnAi('  ', 'ja-JP'), namesAnAi('', 'ja-JP')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
