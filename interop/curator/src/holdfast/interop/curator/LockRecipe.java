package holdfast.interop.curator;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import holdfast.interop.Recipe;
import holdfast.interop.Request;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/**
 * InterProcessMutex, and whatever else is an InterProcessLock. One object a name, shared by all threads, as Java
 * programs do: re-entry is per object.
 */
final class LockRecipe implements Recipe {
    private final Function<String, InterProcessLock> maker;
    private final Map<String, Entry> entries = new ConcurrentHashMap<>();

    LockRecipe(Function<String, InterProcessLock> maker) {
        this.maker = maker;
    }

    /** A lock, and the revocations it has heard of that nobody has waited for yet. */
    private record Entry(InterProcessLock lock, Semaphore revoked) {
        InterProcessMutex mutex() {
            if (lock instanceof InterProcessMutex mutex) {
                return mutex;
            }
            throw new UnsupportedOperationException("not with " + lock.getClass().getSimpleName());
        }
    }

    private Entry entry(Request request) {
        return entries.computeIfAbsent(request.name(), name -> new Entry(maker.apply(name), new Semaphore(0)));
    }

    @Override
    public Object run(String verb, Request request) throws Exception {
        Entry entry = entry(request);
        switch (verb) {
            case "acquire" -> {
                return acquire(entry.lock, request);
            }
            case "release" -> entry.lock.release();
            case "isAcquired" -> {
                return entry.lock.isAcquiredInThisProcess();
            }
            case "participants" -> {
                return entry.mutex().getParticipantNodes();
            }
            // To be said before each acquire: Curator forgets the listener with the release.
            case "makeRevocable" -> entry.mutex().makeRevocable(lock -> entry.revoked.release());
            // Told on the thread that holds, since no other could release: a request to release that is already
            // in line behind this one makes it a holder that obeys.
            case "awaitRevoke" -> {
                return entry.revoked.tryAcquire(request.patience(), MILLISECONDS);
            }
            default -> throw Recipe.unknown(verb);
        }
        return null;
    }

    @Override
    public Section section(Request request) {
        InterProcessLock lock = entry(request).lock;
        return new Section() {
            @Override
            public boolean enter() throws Exception {
                return acquire(lock, request);
            }

            @Override
            public void leave() throws Exception {
                lock.release();
            }
        };
    }

    private static boolean acquire(InterProcessLock lock, Request request) throws Exception {
        if (request.patience() < 0) {
            lock.acquire();
            return true;
        }
        return lock.acquire(request.patience(), MILLISECONDS);
    }
}
