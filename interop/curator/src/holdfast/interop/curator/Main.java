package holdfast.interop.curator;

import holdfast.interop.Backend;
import holdfast.interop.Peer;
import holdfast.interop.Recipe;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;
import org.apache.zookeeper.KeeperException;

/** A Curator client, driven line by line. Settings are system properties: see Settings. */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) {
        Peer.serve(() -> {
            CuratorFramework client = Settings.client();
            ClientRecipe itself = new ClientRecipe(client);
            client.start();
            if (!client.blockUntilConnected(Settings.connection(), TimeUnit.MILLISECONDS)) {
                throw new IOException("no connection to " + System.getProperty("peer.addresses"));
            }
            return new Client(client, recipes(client, itself));
        });
    }

    private static Map<String, Recipe> recipes(CuratorFramework client, Recipe itself) {
        Map<String, InterProcessReadWriteLock> both = new ConcurrentHashMap<>();
        Function<String, InterProcessReadWriteLock> pair =
            path -> both.computeIfAbsent(path, p -> new InterProcessReadWriteLock(client, p));
        return Map.of(
            "client", itself,
            "mutex", new LockRecipe(path -> new InterProcessMutex(client, path)),
            "read", new LockRecipe(path -> pair.apply(path).readLock()),
            "write", new LockRecipe(path -> pair.apply(path).writeLock()),
            "semaphore", new SemaphoreRecipe(client),
            "semaphoreMutex", new LockRecipe(path -> new InterProcessSemaphoreMutex(client, path)),
            "multi", new LockRecipe(paths -> new InterProcessMultiLock(client, List.of(paths.split("\\+")))));
    }

    private record Client(CuratorFramework curator, Map<String, Recipe> recipes) implements Backend {
        /** The session, which owns the nodes: "0x" and hexadecimal digits, as ZooKeeper prints it. */
        @Override
        public String id() {
            try {
                return "0x" + Long.toHexString(ClientRecipe.session(curator));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        /** Threads of one client differ in their nodes only. */
        @Override
        public String owner() {
            return id();
        }

        /**
         * A value is a node's data. No sync is needed: who was let in by a deletion that its server told it of has
         * all that was written before that deletion.
         */
        @Override
        public String get(String key) throws Exception {
            try {
                return new String(curator.getData().forPath(key), StandardCharsets.UTF_8);
            } catch (KeeperException.NoNodeException none) {
                return null;
            }
        }

        @Override
        public void set(String key, String value) throws Exception {
            byte[] data = value.getBytes(StandardCharsets.UTF_8);
            try {
                curator.setData().forPath(key, data);
            } catch (KeeperException.NoNodeException none) {
                curator.create().creatingParentsIfNeeded().forPath(key, data);
            }
        }

        @Override
        public void close() {
            curator.close();
        }
    }
}
