/** The API, asked as the tenant whose session the browser holds. */

/** A refusal, or no answer at all (status 0). */
export class ApiError extends Error {
  constructor({ status, code, detail, retryAfter = null }) {
    super(detail);
    this.status = status;
    this.code = code;
    this.detail = detail;
    /** Seconds as the service says, or null. */
    this.retryAfter = retryAfter;
  }
}

/** The answer's JSON, or undefined without a body. Tests talk in the sandbox: they cost nothing. */
export async function api(method, path, body) {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: {
        'X-Sandbox': 'true',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new ApiError({ status: 0, code: 'unreachable', detail: 'The service cannot be reached.' });
  }
  const text = await response.text();
  let json;
  try {
    json = text === '' ? undefined : JSON.parse(text);
  } catch {
    json = undefined;
  }
  if (response.ok) return json;
  const { status } = response;
  const detail = Array.isArray(json?.detail)
    ? json.detail.map(({ msg }) => msg).join(' ')
    : (json?.detail ?? `The service answered ${status}.`);
  throw new ApiError({
    status,
    code: json?.code ?? 'unknown',
    detail,
    retryAfter: response.headers.get('Retry-After'),
  });
}
