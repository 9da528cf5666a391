package holdfast.interop.redisson;

import holdfast.interop.Backend;
import holdfast.interop.Peer;
import holdfast.interop.Recipe;
import java.util.LinkedHashMap;
import java.util.Map;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/** A Redisson client, driven line by line. Settings are system properties: see Settings. */
public final class Main {
    private Main() {
    }

    public static void main(String[] args) {
        Peer.serve(() -> new Client(Redisson.create(Settings.config())));
    }

    private record Client(RedissonClient redisson, Map<String, Recipe> recipes) implements Backend {
        Client(RedissonClient redisson) {
            this(redisson, new LinkedHashMap<>());
            recipes.put("lock", new LockRecipe(redisson::getLock));
            // Compiled only where the version has it, so it cannot be named here.
            addIfPresent("fenced", "FencedLockRecipe");
        }

        private void addIfPresent(String name, String className) {
            try {
                Class<?> type = Class.forName(Main.class.getPackageName() + "." + className);
                recipes.put(name, (Recipe) type.getConstructor(RedissonClient.class).newInstance(redisson));
            } catch (ClassNotFoundException absent) {
                // The harness answers an op of this recipe with "no recipe in this version".
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public String id() {
            return redisson.getId();
        }

        @Override
        @SuppressWarnings("deprecation") // threadId() came with Java 19; Redisson asks getId(), too
        public String owner() {
            return redisson.getId() + ":" + Thread.currentThread().getId();
        }

        @Override
        public String get(String key) {
            return redisson.<String>getBucket(key, StringCodec.INSTANCE).get();
        }

        @Override
        public void set(String key, String value) {
            redisson.<String>getBucket(key, StringCodec.INSTANCE).set(value);
        }

        @Override
        public void close() {
            redisson.shutdown();
        }
    }
}
