// Where each operation of the API is found in the clients, by the API itself.
export { CLIENT_METHODS as SURFACE } from '../../control-plane/dist/platform/http/openapi/client-methods.js';

/** Operations whose answer or body is not JSON: each client has a method of its own for them. */
export const WRITTEN_BY_HAND = new Set([
  'getCallRecording',
  'followCall',
  'listenToCall',
  'listenToWebhooks',
  'uploadCampaign',
  'importDoNotCall',
  'exportCampaignExtractedData',
  'testAgentByText',
  'previewVoice',
]);

/** Operations that others call: the identity provider, and the browser that comes back from a vendor. */
export const NOT_FOR_CLIENTS = new Set(['clerkWebhook', 'integrationCallback']);
