import { numberOption } from '../serving/options.js';
import { runProgram } from '../serving/program.js';
import { loadPhrasebook } from './phrasebook.js';
import { startDeepgramEmulator } from './server.js';

await runProgram({
  name: 'Deepgram',
  options: {
    port: { help: 'port on loopback; 0 takes a free one', default: '0' },
    phrasebook: {
      help: 'URL of what can be recognised (GET /phrasebook of the simulated carrier)',
      default: '',
    },
    'by-sound': {
      help: '“true”: recognise by sound, through lossy codecs; else by the very bytes',
      default: '',
    },
    'api-key': { help: 'the only key that is accepted; any when not given', default: '' },
    'speech-started-delay-ms': { help: 'delay of SpeechStarted', default: '50' },
    'interim-delay-ms': { help: 'delay of interim results, and of Flux updates', default: '100' },
    'interim-every-ms': { help: 'least time between interim results of Nova, by the audio', default: '0' },
    'final-delay-ms': { help: 'delay of final results, and of Flux ends of turn', default: '100' },
  },
  start: async (values) =>
    startDeepgramEmulator({
      port: numberOption('port', values.port),
      phrasebook: values.phrasebook === '' ? [] : await loadPhrasebook(values.phrasebook),
      bySound: values['by-sound'] === 'true',
      ...(values['api-key'] === '' ? {} : { apiKeys: [values['api-key']] }),
      delays: {
        speechStartedDelayMs: numberOption('speech-started-delay-ms', values['speech-started-delay-ms']),
        interimDelayMs: numberOption('interim-delay-ms', values['interim-delay-ms']),
        interimEveryMs: numberOption('interim-every-ms', values['interim-every-ms']),
        finalDelayMs: numberOption('final-delay-ms', values['final-delay-ms']),
      },
    }),
});
