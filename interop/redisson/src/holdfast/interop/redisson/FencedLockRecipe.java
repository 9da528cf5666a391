package holdfast.interop.redisson;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import holdfast.interop.Recipe;
import holdfast.interop.Request;
import org.redisson.api.RFencedLock;
import org.redisson.api.RedissonClient;

/** RFencedLock: the token verbs; every other verb is RLock's. */
public final class FencedLockRecipe implements Recipe {
    private final LockRecipe plain;

    public FencedLockRecipe(RedissonClient redisson) {
        plain = new LockRecipe(redisson::getFencedLock);
    }

    @Override
    public Object run(String verb, Request request) throws Exception {
        RFencedLock lock = (RFencedLock) plain.lock(request);
        return switch (verb) {
            case "lockAndGetToken" -> request.lease() < 0
                ? lock.lockAndGetToken()
                : lock.lockAndGetToken(request.lease(), MILLISECONDS);
            case "tryLockAndGetToken" -> tryLock(lock, request.patience(), request.lease());
            case "getToken" -> lock.getToken();
            default -> plain.run(verb, request);
        };
    }

    @Override
    public Section section(Request request) {
        return plain.section(request);
    }

    /**
     * Null when refused. A wait of 0 stands for none given: the form without arguments waits without limit, up to
     * 4.7.0 at least, whatever its documentation says.
     */
    private static Long tryLock(RFencedLock lock, long patience, long lease) {
        long wait = Math.max(patience, 0);
        return lease < 0
            ? lock.tryLockAndGetToken(wait, MILLISECONDS)
            : lock.tryLockAndGetToken(wait, lease, MILLISECONDS);
    }
}
