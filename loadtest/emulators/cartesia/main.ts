import { numberOption, positiveOption } from '../serving/options.js';
import { runProgram } from '../serving/program.js';
import { startCartesiaEmulator } from './server.js';

await runProgram({
  name: 'Cartesia',
  options: {
    port: { help: 'port on loopback; 0 takes a free one', default: '0' },
    'api-key': { help: 'the only key that is accepted; any when not given', default: '' },
    'first-audio-delay-ms': { help: 'from text to its first audio', default: '90' },
    speed: { help: 'how much faster than it is spoken the rest of the audio comes', default: '10' },
    'chunk-ms': { help: 'audio in one message', default: '100' },
  },
  start: (values) =>
    startCartesiaEmulator({
      port: numberOption('port', values.port),
      ...(values['api-key'] === '' ? {} : { apiKeys: [values['api-key']] }),
      firstAudioDelayMs: numberOption('first-audio-delay-ms', values['first-audio-delay-ms']),
      speed: positiveOption('speed', values.speed),
      chunkMs: positiveOption('chunk-ms', values['chunk-ms']),
    }),
});
