import { ServiceError } from '../errors/service-error.js';

/**
 * Limits the response to a body that fails with `egress_response_too_large` once it is over `limitBytes`.
 * @param onTooLarge is called as well: some readers of events swallow a body's error
 */
export function boundedResponse(
  response: Response,
  limitBytes: number,
  onTooLarge: (error: ServiceError) => void = () => {},
): Response {
  if (!response.body) return response;
  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        if (bytes <= limitBytes) {
          controller.enqueue(chunk);
          return;
        }
        const error = tooLarge(limitBytes);
        controller.error(error);
        onTooLarge(error);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(counted, { status, statusText, headers });
}

function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError({
    code: 'egress_response_too_large',
    status: 502,
    message: `The answer is over ${limitBytes} bytes.`,
  });
}
