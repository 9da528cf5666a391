package holdfast.interop.curator;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import holdfast.interop.Recipe;
import holdfast.interop.Request;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;

/** InterProcessMutex. One object a path, shared by all threads, as Java programs do: its re-entry is per object. */
final class MutexRecipe implements Recipe {
    private final CuratorFramework client;
    private final Map<String, Mutex> mutexes = new ConcurrentHashMap<>();

    MutexRecipe(CuratorFramework client) {
        this.client = client;
    }

    /** A mutex, and the revocations it has heard of that nobody has asked for yet. */
    private record Mutex(InterProcessMutex lock, Semaphore revoked) {
    }

    private Mutex mutex(Request request) {
        return mutexes.computeIfAbsent(request.name(),
            path -> new Mutex(new InterProcessMutex(client, path), new Semaphore(0)));
    }

    @Override
    public Object run(String verb, Request request) throws Exception {
        Mutex mutex = mutex(request);
        switch (verb) {
            case "acquire" -> {
                return acquire(mutex.lock, request);
            }
            case "release" -> mutex.lock.release();
            case "isAcquired" -> {
                return mutex.lock.isAcquiredInThisProcess();
            }
            case "participants" -> {
                return mutex.lock.getParticipantNodes();
            }
            // To be said before each acquire: Curator forgets the listener with the release.
            case "makeRevocable" -> mutex.lock.makeRevocable(lock -> mutex.revoked.release());
            // Told on the thread that holds, since no other could release: a request to release that is already
            // in line behind this one makes it a holder that obeys.
            case "awaitRevoke" -> {
                return mutex.revoked.tryAcquire(request.patience(), MILLISECONDS);
            }
            default -> throw Recipe.unknown(verb);
        }
        return null;
    }

    @Override
    public Section section(Request request) {
        InterProcessMutex lock = mutex(request).lock;
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

    private static boolean acquire(InterProcessMutex lock, Request request) throws Exception {
        if (request.patience() < 0) {
            lock.acquire();
            return true;
        }
        return lock.acquire(request.patience(), MILLISECONDS);
    }
}
