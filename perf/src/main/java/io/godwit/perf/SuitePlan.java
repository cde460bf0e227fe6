package io.godwit.perf;

import io.godwit.perf.published.PublishedReports;
import io.godwit.perf.published.PublishedRow;
import io.godwit.perf.published.PublishedTable;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Security;
import io.godwit.perf.scenario.Topology;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The scenarios of a suite, scaled to what this machine can take. */
final class SuitePlan {
    private SuitePlan() {}

    /** An estimate of what the machine can take, with broker and tool on it. */
    record Room(
            int connections,
            double messagesPerSecond,
            double bytesPerSecond,
            double connectsPerSecond,
            double tlsConnectsPerSecond) {
        /**
         * An estimate by the number of cores. It does not use a faster machine fully; a slower one misses rates, which
         * the report says.
         */
        static Room of(int cores) {
            return new Room(1_500 * cores, 8_000.0 * cores, (15 << 20) * (double) cores, 500.0 * cores, 100.0 * cores);
        }

        Room atMost(int connections) {
            return new Room(
                    Math.min(this.connections, connections),
                    messagesPerSecond,
                    bytesPerSecond,
                    connectsPerSecond,
                    tlsConnectsPerSecond);
        }
    }

    /**
     * A scenario to run.
     *
     * @param scenario what is run: the published one, scaled
     * @param arguments as {@code perf.sh run} takes them, without the scale
     */
    record Item(Scenario published, double scale, Scenario scenario, String arguments) {
        /** A name for its report files. */
        String stem() {
            return arguments.replace(" --", "-").replace(' ', '-').replaceAll("[^A-Za-z0-9._-]", "_");
        }
    }

    /** Each published scenario once, in the order of the reports. */
    static List<Item> of(PublishedReports published, Room room) {
        Set<String> seen = new HashSet<>();
        List<Item> items = new ArrayList<>();
        for (PublishedTable table : published.tables()) {
            for (PublishedRow row : table.rows()) {
                String arguments = table.arguments(row);
                if (seen.add(arguments.toLowerCase(Locale.ROOT))) {
                    Scenario scenario = table.scenario(row);
                    double scale = scale(scenario, room);
                    items.add(new Item(
                            scenario, scale, withConnectRate(scenario, scenario.scaled(scale), room), arguments));
                }
            }
        }
        return items;
    }

    /**
     * The largest scale, rounded down to two digits, at which connections, messages and bytes stay within {@code room}.
     */
    static double scale(Scenario scenario, Room room) {
        double messages = scenario.statedRateIn() + scenario.statedRateOut();
        double bytes = messages * scenario.payloadBytes();
        if (scenario.topology() == Topology.CONNECT_AND_PUBLISH) {
            // All messages are sent at once and are in memory at the same time.
            bytes = (double) scenario.publishers() * scenario.payloadBytes() / 4;
        }
        double scale = Math.min(1, room.connections() / (double) Math.max(1, scenario.connections()));
        scale = messages == 0 ? scale : Math.min(scale, room.messagesPerSecond() / messages);
        scale = bytes == 0 ? scale : Math.min(scale, room.bytesPerSecond() / bytes);
        return new BigDecimal(Math.min(1, scale))
                .round(new MathContext(2, RoundingMode.FLOOR))
                .doubleValue();
    }

    /**
     * Gives a connection test the published connection rate, as far as this machine can take it; at a scaled rate it
     * would last as long as the published one.
     */
    private static Scenario withConnectRate(Scenario published, Scenario scaled, Room room) {
        if (published.topology() != Topology.CONNECTIONS || published.connectRate() == 0) {
            return scaled;
        }
        double most = published.security() == Security.PLAIN ? room.connectsPerSecond() : room.tlsConnectsPerSecond();
        return scaled.with(s -> s.connectRate(Math.min(published.connectRate(), most)));
    }

    /** Roughly how many seconds it takes. */
    static double seconds(Item item, double connectRate, double warmUpSeconds, double durationSeconds) {
        Scenario scaled = item.scenario();
        double rate = scaled.topology() == Topology.CONNECTIONS && scaled.connectRate() > 0
                ? scaled.connectRate()
                : connectRate;
        double connecting = scaled.connections() / rate;
        double leaving = scaled.isCleanSession() ? 0.5 : 0.5 + (scaled.subscribers() + scaled.background()) / 1_000.0;
        boolean isHeldOnly =
                scaled.topology() == Topology.CONNECTIONS || scaled.topology() == Topology.CONNECT_AND_PUBLISH;
        return connecting + leaving + 1 + (isHeldOnly ? 1 : durationSeconds + (scaled.isCold() ? 0 : warmUpSeconds));
    }
}
