import { numberOption } from '../serving/options.js';
import { runProgram } from '../serving/program.js';
import { startS3Emulator } from './server.js';

await runProgram({
  name: 'S3',
  options: {
    port: { help: 'port on loopback; 0 takes a free one', default: '0' },
    bucket: { help: 'the only bucket', default: 'recordings' },
    region: { help: 'region that requests must be signed for', default: 'us-east-1' },
    'access-key-id': { help: 'the only key id', default: 'AKIAEMULATOR' },
    'secret-access-key': { help: 'its secret', default: 'emulator-secret' },
  },
  start: (values) =>
    startS3Emulator({
      port: numberOption('port', values.port),
      bucket: values.bucket,
      region: values.region,
      accessKeyId: values['access-key-id'],
      secretAccessKey: values['secret-access-key'],
    }),
});
