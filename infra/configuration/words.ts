import type { Section } from './section.js';
import { TRACES } from './tracing-words.js';

const VENDORS_OWN = 'the vendor’s';
const SET_BY_START = 'set by `npm start`';

/** The variables in the order of the page. A text alone is the meaning. */
export const SECTIONS: readonly Section[] = [
  {
    title: 'Addresses and ports',
    variables: {
      PORT: 'API, docs, dashboard, and what carriers and providers send. 0 takes a free port.',
      HOST: 'Address on which that port listens. `0.0.0.0` is all of the machine’s.',
      INTERNAL_PORT: {
        default: '`8082`; with `PORT=0` a free one',
        meaning: 'What is between the planes, the operator’s requests and `/metrics`. Never publish it.',
      },
      INTERNAL_HOST: 'Address on which that port listens. Workers on other machines need a private one.',
      INTERNAL_URL: {
        default: 'from `INTERNAL_HOST` and `INTERNAL_PORT`',
        meaning: 'How workers, and command-line tools with `API_URL`, reach that port.',
      },
      PUBLIC_URL: {
        default: '`http://127.0.0.1:PORT`',
        meaning: 'How clients and carriers reach the control plane.',
      },
      TRUST_PROXY: {
        default: 'none',
        meaning: 'Proxies whose `X-Forwarded-For` is believed: a number of hops, or addresses and CIDRs.',
      },
      MEDIA_PORT: 'Media streams and commands of the first worker. 0 takes a free port.',
      MEDIA_HOST: 'Address on which the worker listens.',
      MEDIA_PUBLIC_URL: {
        default: '`ws://127.0.0.1:MEDIA_PORT`',
        meaning: 'How carriers reach the worker’s media streams (`wss://…`).',
      },
      MEDIA_CONTROL_URL: {
        default: 'from `MEDIA_PORT`',
        meaning: 'How the control plane reaches the worker’s commands.',
      },
      CONTROL_PLANE_URL:
        'How the worker reaches the control plane: its `INTERNAL_PORT`. Give several replicas by comma; the worker tries the next one after 2 s.',
    },
  },
  {
    title: 'Processes and data',
    variables: {
      WORKERS: 'Media workers that `npm start` runs. One uses one core.',
      REPLICAS: 'Control planes that `npm start` runs on the one store.',
      WORKER_REGION: {
        default: 'none',
        meaning:
          'Label of where the worker runs, such as `eu-west`. Calls of tenants that the operator has given that region are placed there first.',
      },
      WORKER_ID: {
        default: 'host name and process id',
        isMachineDependent: true,
        meaning: 'The worker’s name. Keep it over restarts: its spool is found by it.',
      },
      WORKER_CAPACITY: 'Calls that a worker holds at once.',
      WORKER_LAG_LIMIT_MS:
        'How late a worker’s event loop may be, in ms (99th percentile of 5 s): past it the worker takes no more calls beside those it holds, until it has fallen to half. 0: however late.',
      FIRST_TOKEN_BUDGET_MS:
        'To a language model’s first output, in ms: past it the fallback is asked, or the same model once more beside it.',
      TURN_DEADLINE_MS:
        'From the end of the caller’s turn to the first audio of the answer, in ms: past it the agent apologises.',
      WORKER_DRAIN_SECONDS: 'How long a stopping worker waits for live calls, in seconds.',
      DATA_DIR: 'Everything that is kept: store, recordings, decision logs, spools, secrets.',
      MONGODB_URI: {
        default: 'the embedded store, by `npm start`',
        meaning:
          '`mongodb://…` or `mongodb+srv://…`. Its options of read preference, read concern and write concern are left out: reads are the primary’s and of a majority, writes a majority’s and journaled.',
      },
    },
  },
  {
    title: 'Secrets and access',
    variables: {
      INTERNAL_SECRET: {
        default: 'made once by `npm start`, in `DATA_DIR/secrets.json`',
        meaning: 'Signs what the planes say to each other. At least 16 characters.',
      },
      SECRETS_KEY: {
        default: 'made once by `npm start`, in `DATA_DIR/secrets.json`',
        meaning: 'Encrypts credentials at rest, signs cursors and links. At least 32 characters.',
      },
      SECRETS_KEYS_OLD:
        'Earlier keys, by comma or as JSON, until `npm run secrets -- rotate` has sealed everything anew.',
      EGRESS_ALLOW: 'Private address ranges (CIDRs by comma) that agents’ tools and webhooks may reach.',
      IDENTITY_JWKS_URL: 'Public keys of the identity provider whose signed sessions count as credentials.',
      IDENTITY_ISSUER: 'The issuer that those sessions name.',
      IDENTITY_AUDIENCE: { default: 'any', meaning: 'The audience that those sessions name.' },
      IDENTITY_ROLE_CLAIM: {
        default: 'none',
        meaning:
          'The claim of those sessions that names the role: `viewer`, `operator`, `developer` or `owner`. Without it, or where it names none, the role is the one that an owner has set. It must be a claim that people cannot set themselves.',
      },
      IDENTITY_COOKIE: 'Cookie in which browsers bring a session of the identity provider to the dashboard.',
      IDENTITY_SIGN_IN_URL:
        'Where people sign in at the identity provider; `{return_to}` in it becomes the dashboard’s address.',
      CLERK_WEBHOOK_SECRET: 'Verifies Clerk’s user events (`whsec_…`) at `/internal/identity/clerk`.',
    },
  },
  {
    title: 'Limits',
    variables: {
      RATE_LIMIT_DEFAULT: 'Requests a minute and tenant.',
      RATE_LIMIT_SESSION:
        'Requests a minute and tenant of people who are signed in: what of theirs would count as default.',
      RATE_LIMIT_DIAL: 'Calls placed and verification codes asked for, a minute and tenant.',
      RATE_LIMIT_CAMPAIGN_DISPATCH: 'Calls of campaigns placed, a minute and tenant.',
      VERIFICATIONS_PER_DAY_TENANT: 'Verification codes sent in a day (UTC) for one tenant.',
      VERIFICATIONS_PER_DAY: 'Verification codes sent in a day (UTC) by the installation.',
      VERIFICATION_COUNTRIES: {
        default: 'the tenant’s own, its numbers’',
        meaning:
          'Countries that codes go to (`US,CA`), or `*`. Premium and satellite numbers are never called.',
      },
    },
  },
  {
    title: 'Carriers',
    variables: {
      TWILIO_ACCOUNT_SID: 'The carrier of live calls: its account.',
      TWILIO_AUTH_TOKEN: 'The account’s token.',
      TWILIO_API_URL: { default: VENDORS_OWN, meaning: 'Address of Twilio’s API.' },
      TELNYX_API_KEY: 'The second carrier. Its webhooks go to `PUBLIC_URL/internal/carriers/telnyx/events`.',
      TELNYX_PUBLIC_KEY: 'Verifies Telnyx’s webhooks: the base64 of an Ed25519 key.',
      TELNYX_CONNECTION_ID: 'The Call Control application whose webhooks come here.',
      TELNYX_API_URL: { default: VENDORS_OWN, meaning: 'Address of Telnyx’s API.' },
      TELNYX_CODEC: 'What Telnyx’s media streams carry: `PCMU`, `PCMA`, or `L16` at 16 kHz.',
      PLIVO_AUTH_ID: 'The third carrier: its account.',
      PLIVO_AUTH_TOKEN: 'The account’s token.',
      PLIVO_APP_ID: 'The application of the installation: its callbacks come here.',
      PLIVO_API_URL: { default: VENDORS_OWN, meaning: 'Address of Plivo’s API.' },
      VERIFICATION_FROM_NUMBER: 'A number of your own that verification codes come from.',
      SIMULATED_CARRIER_URL: { default: SET_BY_START, meaning: 'The carrier of sandbox calls.' },
      SIMULATED_CARRIER_ACCOUNT_SID: { default: SET_BY_START, meaning: 'Its account.' },
      SIMULATED_CARRIER_AUTH_TOKEN: { default: SET_BY_START, meaning: 'The account’s token.' },
      SIMULATED_CARRIER_PORT: 'Where the simulated carrier listens. 0 takes a free port.',
      SIMULATED_CARRIER_MEDIA: '`off`: people answer and hang up without audio, for load tests.',
      SIMULATED_CARRIER_NETWORK:
        'What is between people and workers: `good`, `mobile` (60 to 100 ms each way, 1 % of frames lost) or `bad` (150 to 270 ms, 4 %).',
    },
  },
  {
    title: 'Providers',
    variables: {
      DEEPGRAM_API_KEY: 'Speech to text and text to speech.',
      DEEPGRAM_URL: { default: VENDORS_OWN, meaning: 'Address of Deepgram.' },
      OPENAI_API_KEY:
        'Speech to text, language model, text to speech and speech to speech. Your own server needs no key.',
      OPENAI_BASE_URL: { default: VENDORS_OWN, meaning: 'Address of OpenAI, or of any compatible server.' },
      OPENAI_MODEL: { default: 'the adapter’s', meaning: 'The language model of agents that name none.' },
      ASSEMBLYAI_API_KEY: 'Speech to text.',
      ASSEMBLYAI_URL: { default: VENDORS_OWN, meaning: 'Address of AssemblyAI.' },
      ANTHROPIC_API_KEY: 'Language model.',
      ANTHROPIC_URL: { default: VENDORS_OWN, meaning: 'Address of Anthropic.' },
      CARTESIA_API_KEY: 'Text to speech.',
      CARTESIA_URL: { default: VENDORS_OWN, meaning: 'Address of Cartesia.' },
      ELEVENLABS_API_KEY: 'Text to speech.',
      ELEVENLABS_URL: { default: VENDORS_OWN, meaning: 'Address of ElevenLabs.' },
      GEMINI_API_KEY: 'Speech to speech.',
      GEMINI_URL: { default: VENDORS_OWN, meaning: 'Address of Gemini.' },
      LLM_PROXY: '`on`: workers reach OpenAI through the control plane, and its key stays there.',
    },
  },
  {
    title: 'Local models',
    variables: {
      MODELS_DIR: {
        default: '`~/.cache/voice-agent-platform/models`',
        meaning: 'Where local models are (`npm run models`).',
      },
      LOCAL_STT_MODEL: {
        default: 'what is in `MODELS_DIR`',
        meaning: 'A recogniser’s directory, its name in `MODELS_DIR`, or `off`.',
      },
      LOCAL_TTS_MODEL: {
        default: 'what is in `MODELS_DIR`',
        meaning: 'A voice’s directory, its name in `MODELS_DIR`, or `off`.',
      },
      LOCAL_TURN_MODEL: {
        default: 'what is in `MODELS_DIR`',
        meaning:
          'The directory of an end-of-turn model, its name in `MODELS_DIR`, or `off`. Loaded for agents with `turn_taking.semantic_end_of_turn: on`.',
      },
      LOCAL_TTS_CACHE:
        'A directory in which local voices keep what they said, for systems that say the same again and again, as in tests. Nothing is deleted there: not for calls of real people.',
      XDG_CACHE_HOME: {
        default: '`~/.cache`',
        meaning: 'Where models and mediasoup’s worker are kept, outside of the clone.',
      },
      PIP_INDEX_URL: {
        default: 'pip’s, https://pypi.org/simple',
        meaning: 'Where `npm run models` fetches from.',
      },
      PIP_CONFIG_FILE: { default: 'pip’s', meaning: 'pip’s configuration file. `/dev/null` is none.' },
    },
  },
  {
    title: 'WebRTC',
    variables: {
      WEBRTC_PORT:
        'UDP and TCP port of the first worker’s WebRTC. The next worker has the next one. 0 takes free ports.',
      WEBRTC_ANNOUNCED_ADDRESS: {
        default: 'the machine’s own',
        meaning: 'Address or name at which browsers reach that port: the public one behind a NAT.',
      },
      ICE_SERVERS:
        'STUN and TURN servers for browsers: a JSON list of `{"urls", "username", "credential"}` (`RTCIceServer`).',
      TURN_SECRET:
        'Shared with the TURN servers of that list that have no credential there (coturn’s `static-auth-secret`): each session gets one of its own, which ends.',
      MEDIASOUP_WORKER_BIN: {
        default: 'in the user’s cache',
        meaning: 'mediasoup’s worker. Without it `npm start` downloads or builds it, once.',
      },
      STORE_SOCKET:
        '`off`: the embedded store is reached over TCP alone, and not by the Unix socket `DATA_DIR/store/store.sock`, which takes a fifth less time.',
      MEDIASOUP_BUILD: '`off`: `npm start` neither downloads nor builds it.',
      MEDIASOUP_WORKER_PREBUILT_DOWNLOAD_BASE_URL: 'mediasoup’s releases, or a mirror of them.',
    },
  },
  {
    title: 'Recordings and webhooks',
    variables: {
      S3_BUCKET: 'Recordings go to this bucket. Without one they go to `DATA_DIR`.',
      S3_REGION: { default: '`us-east-1`', meaning: 'The bucket’s region.' },
      S3_ACCESS_KEY_ID: 'How the bucket is reached.',
      S3_SECRET_ACCESS_KEY: 'How the bucket is reached.',
      S3_ENDPOINT: { default: 'AWS', meaning: 'Any S3-compatible server.' },
      ARCHIVE_CALLS_AFTER_DAYS: {
        default: 'never',
        meaning:
          'Days after which what is large of a call goes from the store to the bucket, or to `DATA_DIR`. The API answers as before.',
      },
      PRODUCT_HEADER_PREFIX: 'Begins the names of webhooks’ three headers.',
    },
  },
  {
    title: 'Billing',
    variables: {
      BILLING: {
        default: '`required` with Stripe, else `off`',
        meaning:
          '`required`: no live call, number or verification without payment method or credit. `off`: for everybody.',
      },
      RATES_FILE: {
        default: 'list prices',
        meaning:
          'A JSON file of rates that differ from them, in USD ([form](../control-plane/src/billing/README.md)).',
      },
      FREE_CREDIT_USD:
        'Credit of a new tenant. Production calls are refused once it is used up. 0 is no credit and no limit.',
      STRIPE_SECRET_KEY: 'Bills usage. Without it usage and cost are kept and nothing is billed.',
      STRIPE_WEBHOOK_SECRET: 'Verifies Stripe’s events at `/internal/payments/stripe` (`whsec_…`).',
      STRIPE_API_URL: { default: VENDORS_OWN, meaning: 'Address of Stripe.' },
      STRIPE_METER_EVENT_NAME: 'The meter that sums usage up, in micro-dollars.',
      STRIPE_PRICE_ID: 'The metered price that customers are subscribed to once they have a payment method.',
    },
  },
  {
    title: 'Integrations',
    variables: {
      SLACK_CLIENT_ID: 'OAuth app by which tenants connect Slack.',
      SLACK_CLIENT_SECRET: 'Its secret.',
      SLACK_URL: { default: VENDORS_OWN, meaning: 'Address of Slack.' },
      HUBSPOT_CLIENT_ID: 'OAuth app by which tenants connect HubSpot.',
      HUBSPOT_CLIENT_SECRET: 'Its secret.',
      HUBSPOT_URL: { default: VENDORS_OWN, meaning: 'Address of HubSpot.' },
      SALESFORCE_CLIENT_ID: 'OAuth app by which tenants connect Salesforce.',
      SALESFORCE_CLIENT_SECRET: 'Its secret.',
      SALESFORCE_URL: { default: VENDORS_OWN, meaning: 'Address of Salesforce.' },
      GOOGLE_CLIENT_ID: 'OAuth app by which tenants connect Google Calendar and Sheets.',
      GOOGLE_CLIENT_SECRET: 'Its secret.',
      GOOGLE_URL: { default: VENDORS_OWN, meaning: 'Address of Google.' },
      AIRTABLE_URL: { default: VENDORS_OWN, meaning: 'Address of Airtable, connected by key.' },
      NOTION_URL: { default: VENDORS_OWN, meaning: 'Address of Notion, connected by token.' },
      CAL_COM_URL: { default: VENDORS_OWN, meaning: 'Address of Cal.com, connected by key.' },
      ZAPIER_URL: { default: VENDORS_OWN, meaning: 'Address of Zapier, connected by webhook URL.' },
      MAKE_URL: { default: VENDORS_OWN, meaning: 'Address of Make, connected by webhook URL.' },
    },
  },
  TRACES,
  {
    title: 'Output and command line',
    variables: {
      LOG_LEVEL: '`debug`, `info`, `warn`, `error`.',
      LOG_FORMAT: '`json` keeps the processes’ own JSON lines.',
      OPEN_BROWSER:
        '`false`: the first `npm start` opens no browser. It opens one only at a terminal with a display, while nobody was signed in yet, never in CI.',
      NO_COLOR: { default: 'colours on a terminal', meaning: 'Any value switches colours off.' },
      PATH: {
        default: 'the shell’s',
        isMachineDependent: true,
        meaning: 'Where `npm run call -- --talk` finds arecord and aplay, or SoX.',
      },
      CHROMIUM: {
        default: '`/usr/bin/chromium-headless-shell`, or else `/usr/bin/chromium`',
        meaning:
          'A Chromium or Chrome of your own for the tests of the dashboard. Without it `npm test` installs Debian’s chromium-headless-shell where neither is and it runs as root.',
      },
      API_URL: {
        default: 'the running system’s',
        meaning:
          'For `npm run key`, `login`, `secrets` elsewhere, with `INTERNAL_URL` and `INTERNAL_SECRET`.',
      },
    },
  },
];
