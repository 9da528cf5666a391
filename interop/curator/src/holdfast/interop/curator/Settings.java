package holdfast.interop.curator;

import org.apache.curator.RetryPolicy;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * Settings from system properties: peer.addresses (a connect string), peer.namespace, peer.session and
 * peer.connection (time-outs in milliseconds), peer.retry (base,count,ceiling of the back-off, in milliseconds).
 * What is not set here has Curator's default; a retry policy has none, so its own examples' stands in.
 */
final class Settings {
    private Settings() {
    }

    static CuratorFramework client() {
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
            .connectString(System.getProperty("peer.addresses", ""))
            .connectionTimeoutMs(connection())
            .retryPolicy(retry());
        Integer session = Integer.getInteger("peer.session");
        if (session != null) {
            builder.sessionTimeoutMs(session);
        }
        String namespace = System.getProperty("peer.namespace");
        if (namespace != null) {
            builder.namespace(namespace);
        }
        return builder.build();
    }

    static int connection() {
        return Integer.getInteger("peer.connection", 15_000);
    }

    private static RetryPolicy retry() {
        String[] numbers = System.getProperty("peer.retry", "1000,3,5000").split(",");
        return new ExponentialBackoffRetry(
            Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]), Integer.parseInt(numbers[2]));
    }
}
