package holdfast.interop.curator;

import holdfast.interop.Recipe;
import holdfast.interop.Request;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.locks.Revoker;
import org.apache.curator.framework.state.ConnectionState;

/** The client itself: its session, its connection states, and requests to nodes of any recipe. */
final class ClientRecipe implements Recipe {
    private final CuratorFramework client;
    private final List<Map<String, Object>> states = new CopyOnWriteArrayList<>();

    /** Before the client is started, so that no state is missed. */
    ClientRecipe(CuratorFramework client) {
        this.client = client;
        client.getConnectionStateListenable().addListener((c, state) -> note(state));
    }

    static long session(CuratorFramework client) throws Exception {
        return client.getZookeeperClient().getZooKeeper().getSessionId();
    }

    @Override
    public Object run(String verb, Request request) throws Exception {
        switch (verb) {
            case "session" -> {
                return session(client);
            }
            case "states" -> {
                return new ArrayList<>(states);
            }
            case "revoke" -> Revoker.attemptRevoke(client, request.name());
            default -> throw Recipe.unknown(verb);
        }
        return null;
    }

    private void note(ConnectionState state) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("state", state.name());
        entry.put("at", System.currentTimeMillis());
        states.add(entry);
    }
}
