/** What each group of operations is about, in the order in which they are shown; a route's `tag` must be here. */
const TAGS: Readonly<Record<string, string>> = {
  Agents: 'Configured AI voice personas, the built-in templates, and the providers that they can use.',
  'Agent testing': 'Talk to an agent without a carrier: as text, over a WebSocket or over WebRTC.',
  Calls: 'Place calls, read what came of them, and act on live ones.',
  'Live calls': 'Follow a live call, or listen to it.',
  Campaigns: 'Call a list of contacts with one agent at a set pace, and read the results.',
  Compliance: 'The gate that every outbound call passes, and the do-not-call list.',
  'Phone numbers': 'Buy, bring and release numbers, and prove that one is yours.',
  Webhooks: 'Subscriptions to events, and their deliveries.',
  Events: 'What subscriptions receive.',
  Integrations: "Connections to other vendors' services that agents can use.",
  'Vendor keys': "The tenant's own keys at the vendors of speech and language models.",
  Analytics: 'Figures over all calls and campaigns.',
  Billing: 'Usage, and how it is paid for.',
  Settings: 'What holds for the tenant as a whole.',
  Members: 'The people of the tenant, what each may do, and invitations by link.',
  'API keys': 'The credentials of programs.',
};

const ORDER = Object.keys(TAGS);

/** Returns the tags of the operations, each with its description, in their order. */
export function describedTags(used: Iterable<string>): { name: string; description?: string }[] {
  const tags = [...new Set(used)].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b));
  return tags.map((name) => {
    const description = TAGS[name];
    return { name, ...(description === undefined ? {} : { description }) };
  });
}
