package holdfast.interop.redisson;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import holdfast.interop.Recipe;
import holdfast.interop.Request;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.redisson.api.RLock;

/**
 * RLock, and whatever else is one. One object a name, shared by all threads, as Java programs do: the object
 * remembers the last lease, and that memory is part of the behaviour to be compatible with.
 */
final class LockRecipe implements Recipe {
    private final Function<String, ? extends RLock> maker;
    private final Map<String, RLock> locks = new ConcurrentHashMap<>();

    LockRecipe(Function<String, ? extends RLock> maker) {
        this.maker = maker;
    }

    RLock lock(Request request) {
        return locks.computeIfAbsent(request.name(), maker);
    }

    @Override
    public Object run(String verb, Request request) throws Exception {
        RLock lock = lock(request);
        switch (verb) {
            case "lock" -> enter(lock, request.lease());
            case "lockInterruptibly" -> lock.lockInterruptibly(request.lease(), MILLISECONDS);
            case "unlock" -> lock.unlock();
            case "tryLock" -> {
                return tryLock(lock, request);
            }
            case "forceUnlock" -> {
                return lock.forceUnlock();
            }
            case "isLocked" -> {
                return lock.isLocked();
            }
            case "isHeldByCurrentThread" -> {
                return lock.isHeldByCurrentThread();
            }
            case "getHoldCount" -> {
                return lock.getHoldCount();
            }
            case "remainTimeToLive" -> {
                return lock.remainTimeToLive();
            }
            default -> throw Recipe.unknown(verb);
        }
        return null;
    }

    @Override
    public Section section(Request request) {
        RLock lock = lock(request);
        return new Section() {
            @Override
            public boolean enter() throws Exception {
                if (request.patience() < 0) {
                    LockRecipe.enter(lock, request.lease());
                    return true;
                }
                return tryLock(lock, request);
            }

            @Override
            public void leave() {
                lock.unlock();
            }
        };
    }

    private static void enter(RLock lock, long lease) {
        if (lease < 0) {
            lock.lock();
        } else {
            lock.lock(lease, MILLISECONDS);
        }
    }

    /** Without a wait and a lease, the form without arguments: it takes a way of its own through Redisson. */
    private static boolean tryLock(RLock lock, Request request) throws InterruptedException {
        if (request.patience() < 0 && request.lease() < 0) {
            return lock.tryLock();
        }
        return lock.tryLock(Math.max(request.patience(), 0), request.lease(), MILLISECONDS);
    }
}
