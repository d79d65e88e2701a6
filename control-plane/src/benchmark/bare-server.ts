import express from 'express';
import { callModel } from '../calls/record/model.js';
import { NEWEST_FIRST } from '../platform/http/pagination.js';
import { connectStore } from '../platform/store/connection.js';

/**
 * What the API is compared with: Express and mongoose as they come, on the same collection by the same
 * queries, without credentials, limits, validation, logs or metrics. `MONGODB_URI TENANT` as arguments.
 */
const [uri, tenant] = process.argv.slice(2);
if (uri === undefined || tenant === undefined) throw new Error('usage: bare-server MONGODB_URI TENANT');

const calls = callModel(await connectStore(uri));
const app = express();
app.use(express.json());

app.get('/calls', async (_request, response) => {
  const [rows, total] = await Promise.all([
    calls
      .find({ tenant_id: tenant }, { agent_snapshot: 0, timeline: 0, variables: 0 })
      .sort(NEWEST_FIRST)
      .limit(51)
      .lean(),
    calls.countDocuments({ tenant_id: tenant }),
  ]);
  response.json({ calls: rows, total });
});

app.get('/calls/:id', async (request, response) => {
  response.json(await calls.findOne({ _id: request.params.id, tenant_id: tenant }).lean());
});

app.post('/calls', async (request, response) => {
  const call = await calls.create(request.body);
  response.status(202).json({ id: call._id });
});

const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address && typeof address !== 'string') process.send?.({ type: 'ready', port: address.port });
});
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
