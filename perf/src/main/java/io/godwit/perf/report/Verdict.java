package io.godwit.perf.report;

import io.godwit.perf.load.RunResult;
import io.godwit.perf.load.check.DeliveryCounts;
import io.godwit.perf.scenario.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Whether a run met its expectations, and the exit code for it.
 *
 * @param faults lost messages, repeats at QoS 2, connections that failed
 * @param shortfalls rates that were not reached
 */
public record Verdict(List<String> faults, List<String> shortfalls) {
    public static final int OK = 0;
    /** The run could not be carried out. */
    public static final int FAILED = 1;
    /** Wrong arguments; used by picocli. */
    public static final int USAGE = 2;

    public static final int FAULTS = 3;
    public static final int RATE_MISSED = 4;
    /** Exit code of a suite: some of the scenarios asked for were not run. */
    public static final int NOT_RUN = 5;

    /** Share of a stated rate that must be reached; the rest is noise of the first and last messages. */
    private static final double REACHED = 0.98;

    /** Share of a stated rate of connections that must be reached; their time ends with the slowest of them. */
    private static final double CONNECT_REACHED = 0.95;

    public Verdict {
        faults = List.copyOf(faults);
        shortfalls = List.copyOf(shortfalls);
    }

    public static Verdict of(RunResult result) {
        return new Verdict(faults(result), shortfalls(result));
    }

    public int exitCode() {
        return !faults.isEmpty() ? FAULTS : !shortfalls.isEmpty() ? RATE_MISSED : OK;
    }

    /**
     * The exit code of several runs: lost messages take precedence over missed rates, these over runs that failed, and
     * these over runs that were left out.
     */
    public static int worst(List<Integer> codes) {
        for (int code : List.of(FAULTS, RATE_MISSED, FAILED, NOT_RUN)) {
            if (codes.contains(code)) {
                return code;
            }
        }
        return OK;
    }

    private static List<String> faults(RunResult result) {
        List<String> faults = new ArrayList<>();
        DeliveryCounts delivery = result.delivery();
        if (delivery.lost() > 0) {
            faults.add(
                    delivery.isChecked()
                            ? text("%,d of %,d deliveries were lost", delivery.lost(), delivery.expected())
                            : text("%,d messages are missing between those that arrived", delivery.lost()));
        }
        if (delivery.notWritten() > 0) {
            faults.add(text("%,d of %,d messages could not be written", delivery.notWritten(), delivery.sent()));
        }
        if (result.scenario().qos() == 2 && delivery.repeated() > 0) {
            faults.add(text("%,d deliveries came twice, at QoS 2", delivery.repeated()));
        }
        if (result.connectFailed() > 0) {
            faults.add(text("%,d of %,d connections failed", result.connectFailed(), result.wanted()));
        }
        long closed = result.errors().getOrDefault("the broker closed a connection", 0L);
        if (closed > 0) {
            faults.add(text("the broker closed %,d connections", closed));
        }
        return faults;
    }

    private static List<String> shortfalls(RunResult result) {
        List<String> shortfalls = new ArrayList<>();
        DeliveryCounts delivery = result.delivery();
        if (result.scenario().isCold()) {
            if (delivery.unsent() > (delivery.sent() + delivery.unsent()) * (1 - REACHED)) {
                shortfalls.add(text("%,d messages that were due could not be sent", delivery.unsent()));
            }
        } else {
            if (result.countedIn() < Math.floor(result.expectedIn() * REACHED)) {
                shortfalls.add(text(
                        "%,.0f messages/s came in, %,.0f were stated",
                        result.rateIn(), result.scenario().statedRateIn()));
            }
            if (result.countedOut() < Math.floor(result.expectedOut() * REACHED)) {
                shortfalls.add(text(
                        "%,.0f messages/s were delivered, %,.0f were stated",
                        result.rateOut(), result.scenario().statedRateOut()));
            }
        }
        if (delivery.unacknowledged() > 0) {
            shortfalls.add(text("%,d messages were never acknowledged", delivery.unacknowledged()));
        }
        if (delivery.unread() > 0) {
            shortfalls.add(text(
                    "%,d publishers got no answer to a ping after their last message: the broker may not have "
                            + "read all of it",
                    delivery.unread()));
        }
        double connectRate = result.scenario().connectRate();
        if (result.scenario().topology() == Topology.CONNECTIONS
                && connectRate > 0
                && result.connectRate() < connectRate * CONNECT_REACHED) {
            shortfalls.add(text("%,.0f connections/s, %,.0f were stated", result.connectRate(), connectRate));
        }
        return shortfalls;
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
