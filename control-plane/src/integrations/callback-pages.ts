import type { ServiceError } from '@voice/shared/errors/service-error';

/** Writes what a person sees for a moment on the way back to the dashboard. */
export function connectedPage(name: string, dashboardUrl: string): string {
  return page('Connected', [`${name} is connected.`], dashboardUrl);
}

/** Writes the text for a person who comes back from a vendor and is not connected. */
export function failedPage(error: ServiceError, requestId: string, dashboardUrl: string): string {
  return page(
    'Not connected',
    [wordsFor(error), `If you need help, say that the error is ${error.code}, request ${requestId}.`],
    dashboardUrl,
  );
}

function wordsFor(error: ServiceError): string {
  switch (error.code) {
    case 'oauth_denied':
      return error.message;
    case 'oauth_state_invalid':
      return 'This page was opened too late, for the second time, or in another browser than the one that began. Please connect again.';
    case 'oauth_code_invalid':
      return 'The vendor did not accept the answer that it had sent along with you. Please connect again.';
    case 'validation_error':
      return 'The address of this page is not complete. Please connect again, and let the vendor lead you back here.';
    case 'integration_not_found':
      return 'There is no such integration.';
    case 'integration_not_configured':
      return 'This installation cannot connect the integration. Please ask its operator.';
    case 'rate_limited':
      return 'There were too many requests. Please wait a minute, then connect again.';
    default:
      return error.status >= 500
        ? 'Something did not work on our side or at the vendor. Please connect again in a few minutes.'
        : 'The integration could not be connected. Please connect again.';
  }
}

function page(title: string, paragraphs: readonly string[], dashboardUrl: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<h1>${title}</h1>
${paragraphs.map((text) => `<p>${escaped(text)}</p>`).join('\n')}
<p><a href="${escaped(dashboardUrl)}">Back to the dashboard</a></p>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
