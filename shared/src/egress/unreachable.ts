/** Node's and OpenSSL's names of certificates that are not trusted. */
const UNTRUSTED = /^(CERT_|SELF_SIGNED_|DEPTH_ZERO_SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)_|ERR_TLS_CERT_)/;

/** Maps the code of a connection's error to a reason; only what the owner can mend is distinguished. */
function reasonOf(code: string): string | null {
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'ENODATA':
      return 'its name cannot be resolved';
    case 'ECONNREFUSED':
      return 'it refused the connection';
    case 'ECONNRESET':
    case 'EPIPE':
      return 'it closed the connection before its answer was complete';
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'there is no route to it';
    case 'ERR_INVALID_CHAR':
    case 'ERR_INVALID_HTTP_TOKEN':
      return 'a header of the request is not valid';
    case 'EPROTO':
      return 'it speaks no TLS that is known here';
    default:
      if (UNTRUSTED.test(code)) return `its certificate is not trusted (${code})`;
      return code.startsWith('HPE_') ? 'its answer is no HTTP' : null;
  }
}

/** Explains why a request failed, for the owner of the server that it went to. */
export function unreachableMessage(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  const reason = typeof code === 'string' ? reasonOf(code) : null;
  return reason === null ? 'The server could not be reached.' : `The server could not be reached: ${reason}.`;
}
