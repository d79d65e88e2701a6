import { SERVER_FLAGS, serverOptions } from '../serving/flags.js';
import { numberOption } from '../serving/options.js';
import { runProgram } from '../serving/program.js';
import { PHRASEBOOK_FLAG, phrasebookOption } from '../serving/recogniser-flags.js';
import { startDeepgramEmulator } from './server.js';

await runProgram({
  name: 'Deepgram',
  options: {
    ...SERVER_FLAGS,
    ...PHRASEBOOK_FLAG,
    'by-sound': {
      help: '“true”: recognise by sound, through lossy codecs; else by the very bytes',
      default: '',
    },
    'speech-started-delay-ms': { help: 'delay of SpeechStarted', default: '50' },
    'interim-delay-ms': { help: 'delay of interim results, and of Flux updates', default: '100' },
    'interim-every-ms': { help: 'least time between interim results of Nova, by the audio', default: '0' },
    'final-delay-ms': { help: 'delay of final results, and of Flux ends of turn', default: '100' },
  },
  start: async (values) =>
    startDeepgramEmulator({
      ...serverOptions(values),
      ...(await phrasebookOption(values)),
      bySound: values['by-sound'] === 'true',
      delays: {
        speechStartedDelayMs: numberOption('speech-started-delay-ms', values['speech-started-delay-ms']),
        interimDelayMs: numberOption('interim-delay-ms', values['interim-delay-ms']),
        interimEveryMs: numberOption('interim-every-ms', values['interim-every-ms']),
        finalDelayMs: numberOption('final-delay-ms', values['final-delay-ms']),
      },
    }),
});
