import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findLocalModels, modelsDirectory, NO_LOCAL_MODELS } from './local-models.js';

describe('the models of this machine', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'models-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  function install(name: string, ...files: string[]): string {
    mkdirSync(join(dir, name), { recursive: true });
    for (const file of files) writeFileSync(join(dir, name, file), '');
    return join(dir, name);
  }
  const MOONSHINE = ['encoder_model.ort', 'decoder_model_merged.ort', 'tokenizer.bin'];

  it('are none where nothing was installed', () => {
    const none = NO_LOCAL_MODELS;
    expect(findLocalModels({ modelsDir: dir })).toEqual(none);
    expect(findLocalModels({ modelsDir: join(dir, 'nowhere') })).toEqual(none);
  });

  it('are found by their files, the ones that the command brings first', () => {
    install('a-model-of-my-own-de', 'encoder.onnx', 'merged_decoder.onnx', 'tokens.txt');
    install('moonshine-tiny-en', ...MOONSHINE);
    install('en_US-joe-medium', 'en_US-joe-medium.onnx', 'en_US-joe-medium.onnx.json', 'MODEL_CARD');
    install('smart-turn-v3.2', 'smart-turn-v3.2-cpu.onnx', 'LICENSE');
    expect(findLocalModels({ modelsDir: dir })).toEqual({
      speechToText: {
        name: 'moonshine-tiny-en',
        encoder: join(dir, 'moonshine-tiny-en/encoder_model.ort'),
        decoder: join(dir, 'moonshine-tiny-en/decoder_model_merged.ort'),
        tokens: join(dir, 'moonshine-tiny-en/tokenizer.bin'),
        language: 'en',
      },
      textToSpeech: {
        name: 'en_US-joe-medium',
        model: join(dir, 'en_US-joe-medium/en_US-joe-medium.onnx'),
        config: join(dir, 'en_US-joe-medium/en_US-joe-medium.onnx.json'),
      },
      endOfTurn: {
        name: 'smart-turn-v3.2',
        model: join(dir, 'smart-turn-v3.2/smart-turn-v3.2-cpu.onnx'),
      },
    });
    const named = findLocalModels({ modelsDir: dir, speechToText: 'a-model-of-my-own-de' }).speechToText;
    expect(named).toMatchObject({ language: 'de', tokens: join(dir, 'a-model-of-my-own-de/tokens.txt') });
  });

  it('do not count while a file is missing, or while they are being unpacked', () => {
    install('moonshine-tiny-en', 'encoder_model.ort', 'tokenizer.bin');
    install('.unpacking-moonshine', ...MOONSHINE);
    install('voice', 'voice.onnx');
    expect(findLocalModels({ modelsDir: dir })).toEqual(NO_LOCAL_MODELS);
  });

  it('can be anywhere, or switched off', () => {
    const place = install('elsewhere/mine', ...MOONSHINE);
    const modelsDir = join(dir, 'nowhere');
    expect(findLocalModels({ modelsDir, speechToText: place }).speechToText?.name).toBe('mine');
    install('moonshine-tiny-en', ...MOONSHINE);
    expect(findLocalModels({ modelsDir: dir, speechToText: 'off' }).speechToText).toBeUndefined();
  });

  it('refuses a name that holds no model, by the variable', () => {
    expect(() => findLocalModels({ modelsDir: dir, textToSpeech: 'klingon' })).toThrow(
      /^LOCAL_TTS_MODEL: .*klingon does not hold a Piper voice/,
    );
    expect(() => findLocalModels({ modelsDir: dir, endOfTurn: 'klingon' })).toThrow(
      /^LOCAL_TURN_MODEL: .*klingon does not hold a Smart Turn model/,
    );
  });

  it('lie in the user’s cache unless the environment says otherwise', () => {
    expect(modelsDirectory({})).toBe(join(homedir(), '.cache/voice-agent-platform/models'));
    expect(modelsDirectory({ cacheHome: '/cache' })).toBe('/cache/voice-agent-platform/models');
    expect(modelsDirectory({ cacheHome: '/cache', modelsDir: '/models' })).toBe('/models');
  });
});
