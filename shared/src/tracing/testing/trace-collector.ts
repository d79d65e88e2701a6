import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { OtlpSpan } from '../otlp-json.js';

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: OtlpSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** A receiver of OTLP over HTTP on loopback. */
export interface TraceCollector {
  readonly url: string;
  readonly requests: { readonly path: string; readonly headers: NodeJS.Dict<string | string[]> }[];
  readonly received: ExportRequest[];
  /** Of all requests that were accepted. */
  spans(): readonly OtlpSpan[];
  /** Answers the next requests with these statuses, then 200 again. */
  answer(...statuses: readonly number[]): void;
  close(): Promise<void>;
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const requests: TraceCollector['requests'] = [];
  const received: ExportRequest[] = [];
  const statuses: number[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      requests.push({ path: request.url ?? '', headers: request.headers });
      const status = statuses.shift() ?? 200;
      if (status === 200) received.push(JSON.parse(body.toString()) as ExportRequest);
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    received,
    spans: () =>
      received.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    answer: (...next) => statuses.push(...next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
