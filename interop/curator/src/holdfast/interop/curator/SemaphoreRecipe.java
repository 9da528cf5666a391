package holdfast.interop.curator;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import holdfast.interop.Recipe;
import holdfast.interop.Request;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;

/** InterProcessSemaphoreV2. The first request for a path says how many leases there are. */
final class SemaphoreRecipe implements Recipe {
    private final CuratorFramework client;
    private final Map<String, InterProcessSemaphoreV2> semaphores = new ConcurrentHashMap<>();
    private final Map<String, Lease> leases = new ConcurrentHashMap<>();

    SemaphoreRecipe(CuratorFramework client) {
        this.client = client;
    }

    @Override
    public Object run(String verb, Request request) throws Exception {
        InterProcessSemaphoreV2 semaphore = semaphores.computeIfAbsent(request.name(),
            path -> new InterProcessSemaphoreV2(client, path, (int) request.number("limit", 1)));
        switch (verb) {
            case "acquire" -> {
                return acquire(semaphore, request);
            }
            case "release" -> leases.remove(request.text("lease")).close();
            case "participants" -> {
                return semaphore.getParticipantNodes();
            }
            default -> throw Recipe.unknown(verb);
        }
        return null;
    }

    /** The names of the leases; null when refused. */
    private List<String> acquire(InterProcessSemaphoreV2 semaphore, Request request) throws Exception {
        int n = (int) request.number("n", 1);
        Collection<Lease> got = request.patience() < 0
            ? semaphore.acquire(n)
            : semaphore.acquire(n, request.patience(), MILLISECONDS);
        if (got == null) {
            return null;
        }
        List<String> names = new ArrayList<>();
        for (Lease lease : got) {
            names.add(lease.getNodeName());
            leases.put(lease.getNodeName(), lease);
        }
        return names;
    }
}
