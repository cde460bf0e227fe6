package io.godwit.perf.load;

import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.load.client.Endpoint;
import io.godwit.perf.load.client.WebSocketRelay;
import io.godwit.perf.observe.ProcessLimits;
import io.godwit.perf.scenario.Scenario;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Finds limits of this process and of the kernel that prevent a scenario, before its first connection. */
public final class Preflight {
    /** Open files other than connections: jars, event loops, reports. */
    private static final int OTHER_FILES = 200;

    /**
     * Open files of a client that connects through a {@link WebSocketRelay}: its own socket, the relay's towards it,
     * and the WebSocket's.
     */
    private static final int FILES_OVER_RELAY = 3;

    private Preflight() {}

    /** The obstacles, for the user; empty if the run may begin. */
    public static List<String> obstacles(Scenario scenario, ClientSettings clients) {
        return obstacles(
                scenario,
                clients,
                ProcessLimits.openFiles(),
                ProcessLimits.localPorts(),
                clients.brokers().stream().anyMatch(Preflight::isLocal),
                ProcessLimits.trackedConnections());
    }

    static List<String> obstacles(
            Scenario scenario,
            ClientSettings clients,
            OptionalLong files,
            OptionalLong ports,
            boolean isLocal,
            OptionalLong tracked) {
        List<String> obstacles = new ArrayList<>();
        int connections = scenario.connections();
        int filesEach = clients.isOverWebSocket() ? FILES_OVER_RELAY : 1;
        if (files.isPresent() && (long) connections * filesEach + OTHER_FILES > files.getAsLong()) {
            obstacles.add(("%,d connections need %s open files, and this process may have %,d (%d of them for "
                            + "itself): --scale %s fits, or raise the limit (ulimit -n)")
                    .formatted(
                            connections,
                            filesEach == 1 ? "as many" : filesEach + " times as many",
                            files.getAsLong(),
                            OTHER_FILES,
                            fitting((files.getAsLong() - OTHER_FILES) / filesEach, connections)));
        }
        long pairs = (long) Math.max(1, clients.localAddresses().size())
                * clients.brokers().size();
        if (ports.isPresent() && connections > ports.getAsLong() * pairs) {
            obstacles.add(("%,d connections need more ports than the %,d that one local address has for one broker: "
                            + "give several with --ifaddrs, or several brokers; --scale %s fits")
                    .formatted(connections, ports.getAsLong(), fitting(ports.getAsLong() * pairs, connections)));
        }
        // Both ends of a connection within this machine are one entry of the table.
        int trackedEach = clients.isOverWebSocket() ? 2 : 1; // to the relay, and to the broker
        if (tracked.isPresent() && (long) connections * trackedEach > tracked.getAsLong()) {
            obstacles.add(("%,d connections, %d entries each, are more than the %,d that the kernel can still track "
                            + "(net.netfilter.nf_conntrack_max): further ones fail without an error; "
                            + "--scale %s fits")
                    .formatted(
                            connections,
                            trackedEach,
                            tracked.getAsLong(),
                            fitting(tracked.getAsLong() / trackedEach, connections)));
        }
        if (obstacles.isEmpty()
                && isLocal
                && files.isPresent()
                && connections + OTHER_FILES > files.getAsLong() * 0.98) {
            obstacles.add(("%,d connections to a broker of this machine: with the same limit of %,d files it cannot "
                            + "have them all; --scale %s fits")
                    .formatted(
                            connections,
                            files.getAsLong(),
                            fitting((long) (files.getAsLong() * 0.98) - OTHER_FILES, connections)));
        }
        return obstacles;
    }

    /** The scale that brings {@code connections} down to {@code room}, rounded down to two digits. */
    private static String fitting(long room, int connections) {
        double scale = Math.max(0, room / (double) connections);
        double digit = Math.pow(10, Math.floor(Math.log10(Math.max(scale, 1e-9))) - 1);
        return String.format(java.util.Locale.ROOT, "%.6f", Math.floor(scale / digit) * digit)
                .replaceAll("0+$", "");
    }

    private static boolean isLocal(Endpoint broker) {
        try {
            return InetAddress.getByName(broker.host()).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false; // connecting will report it
        }
    }
}
