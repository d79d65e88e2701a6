import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import twilio from 'twilio';

interface ReceivedCallback {
  readonly path: string;
  readonly form: Record<string, string>;
  /** By Twilio's own SDK. */
  readonly signatureValid: boolean;
}

/** Starts the server that callbacks go to in a test; each is checked with Twilio's SDK. */
export async function startCallbackSink(authToken: string) {
  const received: ReceivedCallback[] = [];
  /** Addresses with `fail_first` in their query that have failed already. */
  const failed = new Set<string>();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => {
      body += part;
    });
    request.on('end', () => {
      const signed = Object.fromEntries(new URLSearchParams(body));
      const query = new URL(request.url ?? '/', url).searchParams;
      const form = request.method === 'GET' ? Object.fromEntries(query) : signed;
      const signature = String(request.headers['x-twilio-signature'] ?? '');
      received.push({
        path: request.url ?? '',
        form,
        signatureValid: twilio.validateRequest(authToken, signature, `${url}${request.url}`, signed),
      });
      const fails = (request.url ?? '').includes('fail_first') && !failed.has(request.url ?? '');
      failed.add(request.url ?? '');
      response.writeHead(fails ? 503 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    /** What was received of the call. */
    of: (callSid: string) => received.filter(({ form }) => form.CallSid === callSid),
    statuses: (callSid: string) =>
      received.flatMap(({ path, form }) =>
        form.CallSid === callSid && path.startsWith('/status') ? [form.CallStatus] : [],
      ),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
