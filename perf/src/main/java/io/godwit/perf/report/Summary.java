package io.godwit.perf.report;

import io.godwit.perf.load.RunResult;
import io.godwit.perf.load.check.DeliveryCounts;
import io.godwit.perf.load.measure.Spread;
import io.godwit.perf.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Describes a run in words, for the terminal and the HTML report. */
final class Summary {
    private Summary() {}

    static String heading(RunResult result) {
        return result.scenario().name() + (result.scale() < 1 ? " at scale " + RunColumns.plain(result.scale()) : "");
    }

    static String description(Scenario scenario) {
        List<String> parts = new ArrayList<>();
        if (scenario.publishers() > 0) {
            parts.add(text("%,d publishers", scenario.publishers())
                    + (scenario.isOpenLoop()
                            ? " of " + RunColumns.plain(scenario.ratePerPublisher()) + " messages/s"
                            : ""));
        }
        if (scenario.subscribers() > 0) {
            parts.add(text("%,d subscribers", scenario.subscribers()));
        }
        if (scenario.background() > 0) {
            parts.add(text("%,d idle connections", scenario.background()));
        }
        String how = switch (scenario.topology()) {
            case ONE_TO_ONE -> "one to one";
            case FAN_OUT -> "each message to all subscribers";
            case SHARED -> "shared subscription";
            case FAN_IN -> "nobody subscribes";
            case LISTEN -> "others publish";
            case RANDOM -> "subscribers chosen at random";
            case CONNECTIONS -> "connections only";
            case CONNECT_AND_PUBLISH -> "each connects and publishes " + scenario.messagesEach();
        };
        parts.add(how);
        if (scenario.isClosedLoop()) {
            parts.add("closed loop");
        }
        parts.add("QoS " + scenario.qos());
        if (scenario.payloadBytes() > 0 && scenario.publishers() > 0) {
            parts.add(RunColumns.bytes(scenario.payloadBytes()) + (scenario.payloadBytes() < 1_024 ? " bytes" : ""));
        }
        parts.add(scenario.isCleanSession() ? "clean sessions" : "persistent sessions");
        switch (scenario.security()) {
            case TLS -> parts.add("TLS");
            case MUTUAL_TLS -> parts.add("mutual TLS");
            case PLAIN -> {}
        }
        if (scenario.isCold()) {
            parts.add("cold");
        }
        return String.join(", ", parts);
    }

    /** The findings, a line for each. */
    static List<String> findings(RunResult result) {
        List<String> lines = new ArrayList<>();
        DeliveryCounts delivery = result.delivery();
        if (delivery.sent() > 0 || delivery.received() > 0) {
            lines.add(text(
                    "sent %,d, acknowledged %,d, delivered %,d%s",
                    delivery.sent(),
                    delivery.acknowledged(),
                    delivery.received(),
                    delivery.isChecked()
                            ? text(
                                    ": lost %,d, repeated %,d, out of order %,d%s",
                                    delivery.lost(),
                                    delivery.repeated(),
                                    delivery.overtaken(),
                                    delivery.foreign() == 0 ? "" : text(", of others %,d", delivery.foreign()))
                            : ""));
        }
        if (result.measuredSeconds() > 0) {
            lines.add(text(
                    "%.1f s measured: in %,.0f/s, out %,.0f/s",
                    result.measuredSeconds(), result.rateIn(), result.rateOut()));
        }
        spread(lines, "latency, from the time intended", result.latency());
        spread(lines, "acknowledged after", result.acknowledgement());
        spread(lines, "TCP open to CONNACK", result.connect());
        spread(lines, "SUBSCRIBE to SUBACK", result.subscribe());
        if (result.scenario().isCold()) {
            lines.add(Steadiness.describe(result));
        }
        if (result.broker().isWatched()) {
            lines.add(text(
                    "broker (%s): %.2f cores (most %.2f), memory %s to %s",
                    result.watched(),
                    result.broker().meanCores(),
                    result.broker().mostCores(),
                    RunColumns.bytes(result.broker().leastBytes()),
                    RunColumns.bytes(result.broker().mostBytes())));
            long messages = result.countedIn() + result.countedOut();
            if (messages > 0 && result.measuredSeconds() > 0) {
                lines.add(text(
                        "broker CPU: %.1f s per million messages in and out",
                        result.broker().meanCores() * result.measuredSeconds() / messages * 1e6));
            }
        } else {
            lines.add("broker: not watched (no local process found on its port; --broker-pid or --broker-metrics)");
        }
        lines.add(text(
                "this tool: %.2f cores (most %.2f), busiest event loop %.0f %% of a core, sends late by %.2f "
                        + "ms (p99), memory %s",
                result.tool().meanCores(),
                result.tool().mostCores(),
                result.tool().busiestLoop() * 100,
                result.lateness().p99(),
                RunColumns.bytes(result.tool().mostBytes())));
        return lines;
    }

    /** The reasons to doubt the figures. */
    static List<String> cautions(RunResult result) {
        List<String> lines = new ArrayList<>();
        result.bottlenecks().forEach(reason -> lines.add("THE TOOL IS THE BOTTLENECK: " + reason));
        if (result.isMachineFull()) {
            lines.add("this machine had no CPU left: what broker, tool and all else share is measured");
        }
        if (result.delivery().overtaken() > 0) {
            lines.add(text(
                    "%,d deliveries came after a later message of the same publisher and topic",
                    result.delivery().overtaken()));
        }
        if (result.delivery().unsent() > 0) {
            lines.add(text(
                    "%,d messages that were due were not sent by the end: latencies are lower bounds",
                    result.delivery().unsent()));
        }
        lines.addAll(result.remarks());
        result.errors().forEach((error, count) -> lines.add(text("%,d x %s", count, error)));
        return lines;
    }

    private static void spread(List<String> lines, String what, Spread spread) {
        if (spread.count() > 0) {
            lines.add(text(
                    "%s: mean %.2f, p50 %.2f, p90 %.2f, p99 %.2f, p99.9 %.2f, max %.2f ms",
                    what, spread.mean(), spread.p50(), spread.p90(), spread.p99(), spread.p999(), spread.max()));
        }
    }

    static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
