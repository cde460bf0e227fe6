package io.godwit.perf.report;

import io.godwit.perf.load.RunResult;
import io.godwit.perf.load.check.DeliveryCounts;
import io.godwit.perf.load.measure.Sample;
import io.godwit.perf.load.measure.Spread;
import io.godwit.perf.scenario.Scenario;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A run as JSON: all figures, not rounded, with times in milliseconds or seconds as their names say. */
public final class JsonReport {
    private JsonReport() {}

    public static String of(RunResult result, Verdict verdict, List<ResultTable> tables) {
        Scenario scenario = result.scenario();
        JsonObject json = new JsonObject()
                .put("scenario", scenario.name())
                .put("scale", result.scale())
                .put("begun", result.begun().toString())
                .put("brokers", new JsonArray(result.brokers()))
                .put("description", Summary.description(scenario))
                .put("exitCode", verdict.exitCode())
                .put("faults", new JsonArray(verdict.faults()))
                .put("shortfalls", new JsonArray(verdict.shortfalls()))
                .put("toolIsBottleneck", new JsonArray(result.bottlenecks()))
                .put("machineWasFull", result.isMachineFull())
                .put("remarks", new JsonArray(result.remarks()))
                .put("load", load(scenario))
                .put(
                        "rates",
                        new JsonObject()
                                .put("measuredSeconds", result.measuredSeconds())
                                .put("inPerSecond", result.rateIn())
                                .put("outPerSecond", result.rateOut())
                                .put("statedInPerSecond", scenario.statedRateIn())
                                .put("statedOutPerSecond", scenario.statedRateOut()))
                .put("delivery", delivery(result.delivery()))
                .put("latencyMillis", spread(result.latency()))
                .put("acknowledgedMillis", spread(result.acknowledgement()))
                .put("sentLateMillis", spread(result.lateness()))
                .put(
                        "connections",
                        new JsonObject()
                                .put("wanted", result.wanted())
                                .put("connected", result.connected())
                                .put("failed", result.connectFailed())
                                .put("seconds", result.connectSeconds())
                                .put("responseMillis", spread(result.connect()))
                                .put("openedLateMillis", spread(result.connectLateness())))
                .put("subackMillis", spread(result.subscribe()))
                .put("broker", broker(result))
                .put(
                        "tool",
                        new JsonObject()
                                .put("meanCores", result.tool().meanCores())
                                .put("mostCores", result.tool().mostCores())
                                .put("busiestEventLoop", result.tool().busiestLoop())
                                .put("mostBytes", result.tool().mostBytes())
                                .put("machine", result.tool().meanMachine()))
                .put("errors", errors(result.errors()))
                .put(
                        "tables",
                        new JsonArray(tables.stream().map(JsonReport::table).toList()))
                .put(
                        "samples",
                        new JsonArray(result.samples().stream()
                                .map(JsonReport::sample)
                                .toList()));
        return json.encodePrettily() + "\n";
    }

    private static JsonObject load(Scenario scenario) {
        return new JsonObject()
                .put("topology", scenario.topology().name().toLowerCase(Locale.ROOT))
                .put("publishers", scenario.publishers())
                .put("subscribers", scenario.subscribers())
                .put("background", scenario.background())
                .put("qos", scenario.qos())
                .put("payloadBytes", scenario.payloadBytes())
                .put("ratePerPublisher", scenario.ratePerPublisher())
                .put("cleanSession", scenario.isCleanSession())
                .put("cold", scenario.isCold())
                .put("security", scenario.security().name().toLowerCase(Locale.ROOT))
                .put("connectRate", scenario.connectRate())
                .put("nodesInName", scenario.nodes());
    }

    private static JsonObject delivery(DeliveryCounts delivery) {
        return new JsonObject()
                .put("sent", delivery.sent())
                .put("unsent", delivery.unsent())
                .put("acknowledged", delivery.acknowledged())
                .put("unacknowledged", delivery.unacknowledged())
                .put("expected", delivery.expected())
                .put("received", delivery.received())
                .put("lost", delivery.lost())
                .put("repeated", delivery.repeated())
                .put("outOfOrder", delivery.overtaken())
                .put("foreign", delivery.foreign())
                .put("checked", delivery.isChecked());
    }

    private static JsonObject spread(Spread spread) {
        return new JsonObject()
                .put("count", spread.count())
                .put("min", spread.min())
                .put("mean", spread.mean())
                .put("stdDev", spread.stdDev())
                .put("p50", spread.p50())
                .put("p90", spread.p90())
                .put("p99", spread.p99())
                .put("p999", spread.p999())
                .put("max", spread.max());
    }

    private static JsonObject broker(RunResult result) {
        RunResult.BrokerUse broker = result.broker();
        if (!broker.isWatched()) {
            return new JsonObject().put("watched", false);
        }
        JsonObject json = new JsonObject()
                .put("watched", true)
                .put("source", result.watched())
                .put("cores", broker.cores())
                .put("meanCores", broker.meanCores())
                .put("mostCores", broker.mostCores())
                .put("leastBytes", broker.leastBytes())
                .put("mostBytes", broker.mostBytes())
                .put("lastBytes", broker.lastBytes());
        return broker.userShare() < 0 ? json : json.put("userShare", broker.userShare());
    }

    private static JsonObject errors(Map<String, Long> errors) {
        JsonObject json = new JsonObject();
        new TreeMap<>(errors).forEach(json::put);
        return json;
    }

    private static JsonObject table(ResultTable table) {
        return new JsonObject()
                .put("id", table.tableId())
                .put("title", table.title())
                .put("columns", new JsonArray(table.columns()))
                .put("values", new JsonArray(table.ours()))
                .put(
                        "published",
                        new JsonArray(
                                table.published().stream().map(JsonArray::new).toList()));
    }

    private static JsonObject sample(Sample sample) {
        JsonObject json = new JsonObject()
                .put("atSeconds", sample.atSeconds())
                .put("phase", sample.phase().name().toLowerCase(Locale.ROOT))
                .put("connections", sample.connections())
                .put("connectPerSecond", sample.connectRate())
                .put("inPerSecond", sample.rateIn())
                .put("acknowledgedPerSecond", sample.rateAcknowledged())
                .put("outPerSecond", sample.rateOut())
                .put("latencyMillis", spread(sample.latency()))
                .put("connectMillis", spread(sample.connect()))
                .put("sentLateP99Millis", sample.latenessP99())
                .put("errors", sample.errors())
                .put("toolCores", sample.toolCores())
                .put("busiestEventLoop", sample.busiestLoop())
                .put("machine", sample.machine());
        return sample.brokerCores() < 0
                ? json
                : json.put("brokerCores", sample.brokerCores()).put("brokerBytes", sample.brokerBytes());
    }
}
