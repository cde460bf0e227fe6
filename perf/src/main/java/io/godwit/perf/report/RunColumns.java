package io.godwit.perf.report;

import io.godwit.perf.load.RunResult;
import io.godwit.perf.load.measure.Phase;
import io.godwit.perf.load.measure.Sample;
import io.godwit.perf.scenario.Quantity;
import io.godwit.perf.scenario.Topology;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Computes the values of a run for the columns of the published tables; unknown values are "-". */
final class RunColumns {
    private static final String NONE = "-";
    private static final Map<String, Function<RunResult, String>> BY_NAME = new HashMap<>();

    static {
        Function<RunResult, String> name = r -> r.scenario().name() + (r.scale() < 1 ? " x" + plain(r.scale()) : "");
        put("Scenario combinations", name);
        put("Scenario ID", name);
        put("QoS", r -> String.valueOf(r.scenario().qos()));
        put("Payload", r -> bytes(r.scenario().payloadBytes()));
        put(
                "Payload (byte)",
                r -> r.scenario().topology() == Topology.LISTEN
                        ? NONE
                        : String.valueOf(r.scenario().payloadBytes()));

        // BifroMQ
        put(
                "Single connection frequency(m/s)",
                r -> r.scenario().isOpenLoop() ? plain(r.scenario().ratePerPublisher()) : NONE);
        put("Connection number", r -> Quantity.brief(r.connected()));
        put(
                "Total frequency (m/s)",
                r -> Quantity.brief(Math.round(
                        r.scenario().topology() == Topology.FAN_OUT
                                        || r.scenario().publishers() == 0
                                ? r.rateOut()
                                : r.rateIn())));
        put(
                "average response time(ms)",
                r -> millis(r.latency().count(), r.latency().mean()));
        put(
                "P99 response time(ms)",
                r -> millis(r.latency().count(), r.latency().p99()));
        put(
                "CPU",
                r -> r.broker().isWatched()
                        ? percent(r.broker().meanCores() / r.broker().cores())
                        : NONE);
        put("Memory (GB)", r -> memoryRange(r, 1e9, ""));
        put("cleanSession", r -> String.valueOf(r.scenario().isCleanSession()));
        put("Connection establishment rate", r -> Quantity.brief(Math.round(r.connectRate())));
        put(
                "cpu",
                r -> r.broker().isWatched()
                        ? percent(r.broker().meanCores() / r.broker().cores())
                        : NONE);
        put("Memory(GB)", r -> memory(r, r.broker().mostBytes()));

        // EMQ
        put(
                "PUB Connection X Fan-In",
                r -> times(r.scenario().publishers(), r.scenario().ratePerPublisher()));
        put(
                "SUB Connection X Fan-Out",
                r -> r.scenario().subscribers() == 0
                        ? "0"
                        : times(
                                r.scenario().subscribers(),
                                r.scenario().statedRateOut() / r.scenario().subscribers()));
        put("Fan-In(Avg/Max)", r -> averageAndMost(r, r.rateIn(), in(r)));
        put("Fan-In (Avg/Max)", r -> averageAndMost(r, r.rateIn(), in(r)));
        put("Fan-Out(Avg/Max)", r -> averageAndMost(r, r.rateOut(), Sample::rateOut));
        put("Background Connection", r -> Quantity.brief(r.scenario().background()));
        put("Throughput(Avg/Max Bps)", r -> {
            ToDoubleFunction<Sample> in = in(r);
            int size = r.scenario().payloadBytes();
            double most = most(r, s -> in.applyAsDouble(s) + s.rateOut());
            return bytes((r.rateIn() + r.rateOut()) * size) + "/" + bytes(most * size);
        });
        put(
                "Throughput(RX / TX Bps)",
                r -> bytes(r.rateIn() * r.scenario().payloadBytes()) + "/"
                        + bytes(r.rateOut() * r.scenario().payloadBytes()));
        Function<RunResult, String> load = r -> !r.broker().isHere() || r.tool().loadAverage() < 0
                ? NONE // the tool's own load is only that of this machine
                : plain(r.tool().loadAverage());
        put("Load", load);
        put("CPU Load", load);
        put("CPU(user/sys)", r -> {
            double user = r.broker().userShare();
            double all = r.broker().meanCores() / r.broker().cores();
            return !r.broker().isWatched()
                    ? NONE
                    : user < 0 ? percent(all) : percent(all * user) + "/" + percent(all * (1 - user));
        });
        put("CPU usage", r -> {
            List<Sample> samples = counting(r);
            return !r.broker().isWatched()
                    ? NONE
                    : percent(samples.stream()
                                            .mapToDouble(Sample::brokerCores)
                                            .filter(c -> c >= 0)
                                            .min()
                                            .orElse(0)
                                    / r.broker().cores())
                            + "-" + percent(r.broker().mostCores() / r.broker().cores());
        });
        put("Memory(Avg/Max)", r -> memory(r, r.broker().mostBytes()));
        put("Memory", r -> memory(r, r.broker().mostBytes()));
        put("Virtual user number", r -> String.valueOf(r.connected()));
        put(
                "Conn per second",
                r -> r.scenario().connectRate() == 0 ? NONE : plain(r.scenario().connectRate()));
        put(
                "Test duration (Sec)",
                r -> plain(
                        r.samples().isEmpty()
                                ? 0
                                : r.samples().get(r.samples().size() - 1).atSeconds()));
        put("Average throughput", r -> String.valueOf(Math.round(r.connectRate())));
        put(
                "Average response time",
                r -> duration(r.connect().count(), r.connect().mean()));
        put("Max response time", r -> duration(r.connect().count(), r.connect().max()));
        put("Min response time", r -> duration(r.connect().count(), r.connect().min()));
        put("Successful rate", r -> percentToTenths(r.wanted() == 0 ? 0 : r.connected() / (double) r.wanted()));

        // RMQTT
        put("Total Concurrent Clients", r -> String.format(Locale.ROOT, "%,d", r.connected()));
        put("Connection Handshake Rate", r -> Math.round(r.connectRate()) + "/second");
        put("Broker Process Memory", r -> memory(r, r.broker().mostBytes()));
        put("Broker Process CPU", r -> r.broker().isWatched() ? "(" + coresRange(r) + ")%" : NONE);
        Function<RunResult, String> toolMemory = r -> bytes(r.tool().mostBytes()) + " * 1";
        Function<RunResult, String> toolCpu = r -> Math.round(r.tool().meanCores() * 100) + "% * 1";
        put("Bench-subs Process Memory", toolMemory);
        put("Bench-subs Process CPU", toolCpu);
        put("Bench-pubs Process Memory", r -> "the same");
        put("Bench-pubs Process CPU", r -> "the same");
        put(
                "Subscription Client Count",
                r -> String.format(Locale.ROOT, "%,d", r.scenario().subscribers()));
        put(
                "Publishing Client Count",
                r -> String.format(Locale.ROOT, "%,d", r.scenario().publishers()));
        put("Message Throughput Rate", r -> String.format(Locale.ROOT, "%,d/second", Math.round(r.rateOut())));

        // mqtt-server
        put("System", r -> "this run" + (r.scale() < 1 ? " x" + plain(r.scale()) : ""));
        put(
                "Total Ratio",
                r -> String.format(
                        Locale.ROOT,
                        "%.3f (%d/%d)",
                        r.wanted() == 0 ? 0 : r.connected() / (double) r.wanted(),
                        r.connected(),
                        r.wanted()));
        put("Total Runtime (sec)", r -> thousandths(r.connectSeconds()));
        put("Average Runtime (sec)", r -> thousandths(r.clientRuntime().mean() / 1e3));
        put("Msg time min (ms)", r -> thousandths(r.messageTime().min()));
        put("Msg time max (ms)", r -> thousandths(r.messageTime().max()));
        put("Msg time mean mean (ms)", r -> thousandths(r.messageTime().mean()));
        put("Msg time mean std (ms)", r -> thousandths(r.messageTime().stdDev()));
        put("Average Bandwidth (msg/sec)", r -> thousandths(r.connected() == 0 ? 0 : r.clientRates() / r.connected()));
        put("Total Bandwidth (msg/sec)", r -> thousandths(r.clientRates()));
        put(
                "Memory at start",
                r -> memory(
                        r,
                        r.samples().isEmpty()
                                ? r.broker().leastBytes()
                                : r.samples().get(0).brokerBytes()));
        put("Peak memory", r -> memory(r, r.broker().mostBytes()));
        put("Memory afterwards", r -> memory(r, r.broker().lastBytes()));
        put("Publish rate (msg/sec)", r -> String.valueOf(Math.round(r.rateIn())));
    }

    private RunColumns() {}

    private static void put(String column, Function<RunResult, String> value) {
        BY_NAME.put(column, value);
    }

    /** The value of a run for a column; empty if the column is unknown. */
    static Optional<String> value(String column, RunResult result) {
        return Optional.ofNullable(BY_NAME.get(column)).map(value -> value.apply(result));
    }

    private static List<Sample> counting(RunResult result) {
        boolean isConnecting = result.scenario().topology() == Topology.CONNECTIONS
                || result.scenario().topology() == Topology.CONNECT_AND_PUBLISH;
        return result.samples().stream()
                .filter(s -> s.phase() == (isConnecting ? Phase.CONNECT : Phase.MEASURE))
                .toList();
    }

    private static ToDoubleFunction<Sample> in(RunResult result) {
        return result.scenario().qos() == 0 ? Sample::rateIn : Sample::rateAcknowledged;
    }

    private static double most(RunResult result, ToDoubleFunction<Sample> value) {
        return counting(result).stream().mapToDouble(value).max().orElse(0);
    }

    private static String averageAndMost(RunResult result, double average, ToDoubleFunction<Sample> value) {
        return Math.round(average) + "/" + Math.round(Math.max(average, most(result, value)));
    }

    private static String times(int connections, double rate) {
        return Quantity.brief(connections) + " X " + Quantity.brief(rate);
    }

    private static String coresRange(RunResult result) {
        double least = counting(result).stream()
                .mapToDouble(Sample::brokerCores)
                .filter(c -> c >= 0)
                .min()
                .orElse(result.broker().meanCores());
        return Math.round(least * 100) + "-" + Math.round(result.broker().mostCores() * 100);
    }

    private static String memory(RunResult result, long bytes) {
        return result.broker().isWatched() && bytes > 0 ? bytes(bytes) : NONE;
    }

    private static String memoryRange(RunResult result, double unit, String suffix) {
        return result.broker().isWatched() && result.broker().mostBytes() > 0
                ? String.format(
                        Locale.ROOT,
                        "%.2f ~ %.2f%s",
                        result.broker().leastBytes() / unit,
                        result.broker().mostBytes() / unit,
                        suffix)
                : NONE;
    }

    private static String millis(long count, double value) {
        return count == 0 ? NONE : String.format(Locale.ROOT, "%.2f", value);
    }

    private static String duration(long count, double millis) {
        if (count == 0) {
            return NONE;
        }
        return millis >= 1_000
                ? String.format(Locale.ROOT, "%.2fs", millis / 1e3)
                : String.format(Locale.ROOT, millis >= 10 ? "%.0fms" : "%.1fms", millis);
    }

    private static String thousandths(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }

    static String percent(double share) {
        return String.format(Locale.ROOT, share < 0.095 ? "%.1f%%" : "%.0f%%", share * 100);
    }

    private static String percentToTenths(double share) {
        return plain(Math.floor(share * 1_000) / 10) + "%";
    }

    static String bytes(long bytes) {
        return bytes((double) bytes);
    }

    static String bytes(double bytes) {
        if (bytes >= 1 << 30) {
            return plain(Math.round(bytes / (1 << 30) * 100) / 100.0) + "G";
        }
        if (bytes >= 1 << 20) {
            return plain(Math.round(bytes / (1 << 20) * 10) / 10.0) + "M";
        }
        return bytes >= 1 << 10
                ? plain(Math.round(bytes / (1 << 10) * 10) / 10.0) + "K"
                : String.valueOf(Math.round(bytes));
    }

    static String plain(double value) {
        String text = String.format(Locale.ROOT, Math.abs(value) < 0.1 ? "%.6f" : "%.3f", value);
        return text.replaceAll("0+$", "").replaceAll("\\.$", "");
    }
}
