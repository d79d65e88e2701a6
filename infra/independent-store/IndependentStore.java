import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import de.bwaldvogel.mongo.wire.message.MongoMessage;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.List;

/** Serves MongoDB's wire protocol from memory on a free port of loopback, until its standard input ends. */
public final class IndependentStore {
  /** What it says of itself: current drivers talk to no server whose wire version is as old as its own. */
  private static final class Recent implements MongoVersion {
    @Override
    public List<Integer> getVersionArray() {
      return List.of(7, 0, 0);
    }

    @Override
    public int getWireVersion() {
      return 21;
    }
  }

  /** Knows the command as well by which current drivers greet a server, and by which its time is asked for. */
  private static final class Backend extends MemoryBackend {
    @Override
    public Document handleMessage(MongoMessage message) {
      if (!message.getDocument().containsKey("hello")) {
        return super.handleMessage(message);
      }
      return new Document("isWritablePrimary", true)
          .append("localTime", Instant.now())
          .append("maxBsonObjectSize", 16 * 1024 * 1024)
          .append("maxMessageSizeBytes", 48_000_000)
          .append("maxWriteBatchSize", 100_000)
          .append("minWireVersion", 0)
          .append("maxWireVersion", new Recent().getWireVersion())
          .append("ok", 1);
    }
  }

  public static void main(String[] arguments) throws Exception {
    MongoServer server = new MongoServer(new Backend().version(new Recent()));
    InetSocketAddress address = server.bind();
    System.out.println("mongodb://127.0.0.1:" + address.getPort());
    System.out.flush();
    while (System.in.read() >= 0) {
      // Nothing is said to it.
    }
    server.shutdownNow();
  }
}
