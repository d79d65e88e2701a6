import { choiceOption, numberOption, positiveOption } from '../serving/options.js';
import { runProgram } from '../serving/program.js';
import { startElevenLabsEmulator } from './server.js';

await runProgram({
  name: 'ElevenLabs',
  options: {
    port: { help: 'port on loopback; 0 takes a free one', default: '0' },
    voice: { help: 'espeak (real speech) or tone (cheap, for load tests)', default: 'tone' },
    'api-key': { help: 'the only key that is accepted; any when not given', default: '' },
    'first-audio-delay-ms': { help: 'from text to its first audio', default: '100' },
    speed: { help: 'how much faster than it is spoken the rest of the audio comes', default: '10' },
    'chunk-ms': { help: 'audio in one message', default: '250' },
  },
  start: async (values) =>
    startElevenLabsEmulator({
      port: numberOption('port', values.port),
      voice: choiceOption('voice', values.voice, ['espeak', 'tone']),
      ...(values['api-key'] === '' ? {} : { apiKeys: [values['api-key']] }),
      firstAudioDelayMs: numberOption('first-audio-delay-ms', values['first-audio-delay-ms']),
      speed: positiveOption('speed', values.speed),
      chunkMs: numberOption('chunk-ms', values['chunk-ms']),
    }),
});
