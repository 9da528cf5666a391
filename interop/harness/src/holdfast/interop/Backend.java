package holdfast.interop;

import java.util.Map;

/** What a peer's library offers to the harness: its recipes, and plain values beside them. */
public interface Backend extends AutoCloseable {
    /** Identity of this client in the store, the part of an owner that all its threads share. */
    String id();

    /** Owner text that the library stores for the calling thread. */
    String owner();

    /** Recipes by the first half of an op, as in "lock" of "lock.tryLock". */
    Map<String, Recipe> recipes();

    /** Reads a plain value; null when there is none. Never from a replica: workloads judge what they read. */
    String get(String key) throws Exception;

    /** Writes a plain value. */
    void set(String key, String value) throws Exception;
}
