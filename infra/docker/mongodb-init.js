// Run by mongosh in infra/compose.yaml: makes the replica set and the user of the service where they are missing.
const { MONGODB_ROOT_PASSWORD, MONGODB_PASSWORD } = process.env;
const admin = db.getSiblingDB('admin');
admin.auth('root', MONGODB_ROOT_PASSWORD);

try {
  rs.status();
} catch (error) {
  if (error.codeName !== 'NotYetInitialized') throw error;
  rs.initiate({ _id: 'rs0', members: [{ _id: 0, host: 'mongodb:27017' }] });
}
while (!admin.hello().isWritablePrimary) sleep(200);

// Where the service keeps everything; no right beside it.
const voice = db.getSiblingDB('voice');
const user = { pwd: MONGODB_PASSWORD, roles: [{ role: 'readWrite', db: 'voice' }] };
if (voice.getUser('voice') === null) voice.createUser({ user: 'voice', ...user });
else voice.updateUser('voice', user);
