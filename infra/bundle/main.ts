import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const VOICE = 'shared/dist/local-voice';
const PROVIDERS = 'media-plane/dist/providers';

await bundle(
  {
    plane: 'control-plane',
    entries: {
      run: 'control-plane/dist/run.js',
      'catalogue-process': 'control-plane/dist/vendors/voices/sdk/catalogue-process.js',
    },
    apart: ['@deepgram/sdk', '@elevenlabs/elevenlabs-js'],
    // Thousands of files, of which a client loads those of the products that it is asked for.
    loadLate: ['twilio/lib/rest/Twilio.js'],
  },
  root,
);
await bundle(
  {
    plane: 'media-plane',
    // Processes and threads are started from beside the module that starts them.
    entries: {
      run: 'media-plane/dist/run.js',
      'disk-thread': 'media-plane/dist/disk/disk-thread.js',
      'encoder-thread': 'media-plane/dist/recording/encoder-thread.js',
      'smart-turn-thread': `${PROVIDERS}/end-of-turn/smart-turn/smart-turn-thread.js`,
      'recogniser-main': `${PROVIDERS}/stt/local/recogniser/recogniser-main.js`,
      'espeak-process': `${VOICE}/espeak/espeak-process.js`,
      'espeak-thread': `${VOICE}/espeak/espeak-thread.js`,
      'piper-process': `${VOICE}/neural/piper-process.js`,
    },
    apart: [
      '@echogarden/espeak-ng-emscripten',
      '@echogarden/fvad-wasm',
      '@evan/opus',
      'mediasoup',
      'onnxruntime-node',
      'uWebSockets.js',
      'wasm-media-encoders',
    ],
  },
  root,
);
