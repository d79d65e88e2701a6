import { describe, expect, it } from 'vitest';
import { isSpokenLanguage } from './languages.js';

describe('the language of an agent', () => {
  it.each(['en-US', 'en', 'de-AT', 'pt-BR', 'zh-Hans-CN', 'yue-HK', 'es-419', 'fil-PH'])(
    'may be %s',
    (tag) => {
      expect(isSpokenLanguage(tag)).toBe(true);
    },
  );

  it.each(['klingon', 'tlh', 'english', 'xx', 'en_US', 'en-QX', 'english!', '', 'de-'])(
    'may not be %j',
    (tag) => {
      expect(isSpokenLanguage(tag)).toBe(false);
    },
  );
});
