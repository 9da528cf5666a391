package holdfast.interop.redisson;

import org.redisson.config.BaseConfig;
import org.redisson.config.BaseMasterSlaveServersConfig;
import org.redisson.config.Config;
import org.redisson.config.ReadMode;

/**
 * Settings from system properties: peer.mode (single, sentinel, cluster), peer.addresses (host:port, commas
 * between), peer.master (sentinel), peer.watchdog (milliseconds), peer.name. What is not set here has Redisson's
 * default, because a default is what Java fleets run with.
 */
final class Settings {
    private Settings() {
    }

    static Config config() {
        Config config = new Config();
        config.setThreads(4);
        config.setNettyThreads(4);
        config.setLockWatchdogTimeout(Long.getLong("peer.watchdog", 30_000));
        String[] addresses = addresses();
        String mode = System.getProperty("peer.mode", "single");
        switch (mode) {
            case "single" -> common(config.useSingleServer()
                .setAddress(addresses[0])
                .setConnectionMinimumIdleSize(1)
                .setConnectionPoolSize(32)
                .setSubscriptionConnectionMinimumIdleSize(1)
                .setSubscriptionConnectionPoolSize(32)
                .setDnsMonitoringInterval(-1));
            case "sentinel" -> replicated(config.useSentinelServers()
                .setMasterName(System.getProperty("peer.master", "mymaster"))
                .setCheckSentinelsList(false)
                .addSentinelAddress(addresses));
            case "cluster" -> replicated(config.useClusterServers()
                .setScanInterval(1_000)
                .addNodeAddress(addresses));
            default -> throw new IllegalArgumentException("peer.mode " + mode);
        }
        return config;
    }

    /** Reads go to the primaries: a workload that reads a stale value would blame the lock. */
    private static void replicated(BaseMasterSlaveServersConfig<?> servers) {
        servers.setReadMode(ReadMode.MASTER);
        servers.setMasterConnectionMinimumIdleSize(1);
        servers.setMasterConnectionPoolSize(32);
        servers.setSlaveConnectionMinimumIdleSize(1);
        servers.setSlaveConnectionPoolSize(8);
        servers.setSubscriptionConnectionMinimumIdleSize(1);
        servers.setSubscriptionConnectionPoolSize(32);
        servers.setDnsMonitoringInterval(-1);
        common(servers);
    }

    private static void common(BaseConfig<?> servers) {
        servers.setClientName(System.getProperty("peer.name", "peer"));
    }

    private static String[] addresses() {
        String[] addresses = System.getProperty("peer.addresses", "").split(",");
        for (int i = 0; i < addresses.length; i++) {
            addresses[i] = "redis://" + addresses[i];
        }
        return addresses;
    }
}
