// Follows a call as it happens (docs/live-streams.md). Plain Node 22, nothing to install.
//   API_KEY=sk_… node examples/follow-call.mjs CALL_ID
const { API_URL = 'http://localhost:8080', API_KEY } = process.env;
const [callId] = process.argv.slice(2);
let lastEventId;

/** What to print of an event; nothing for what only programs read. */
function line({ type, ...event }) {
  switch (type) {
    case 'status':
      return `· ${event.status}${event.end_reason ? ` (${event.end_reason})` : ''}`;
    case 'state':
      return `  (${event.state})`;
    case 'transcript':
      return event.final ? undefined : `  ${event.role}: ${event.text} …`;
    case 'turn':
      return `${event.turn.role}: ${event.turn.heard_text || event.turn.text}`;
    case 'metrics':
      return event.metrics.response_latency_ms === null
        ? undefined
        : `  answered after ${Math.round(event.metrics.response_latency_ms)} ms`;
    case 'tool_call':
      return `  tool ${event.name} …`;
    case 'tool_result':
      return `  tool ${event.execution.name}: ${event.execution.status}`;
    case 'notice':
    case 'error':
      return `! ${event.code}: ${event.message}`;
  }
}

for (let over = false; !over; ) {
  const response = await fetch(`${API_URL}/api/v1/calls/${callId}/live`, {
    headers: { authorization: `Bearer ${API_KEY}`, ...(lastEventId && { 'last-event-id': lastEventId }) },
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  try {
    let text = '';
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const events = (text + chunk).split('\n\n');
      text = events.pop();
      for (const event of events) {
        const field = (name) => event.match(new RegExp(`(?:^|\\n)${name}: ([^\\n]*)`))?.[1];
        const data = JSON.parse(field('data') ?? '{}'); // a comment has none
        lastEventId = field('id') ?? lastEventId;
        over ||= data.type === 'status' && data.end_reason !== undefined;
        const described = line(data);
        if (described) console.log(described);
      }
    }
  } catch (error) {
    console.error(`the stream broke off (${error.message}); going on from where it was`);
  }
  if (!over) await new Promise((resolve) => setTimeout(resolve, 1000));
}
