package io.godwit.perf.report;

import io.godwit.perf.load.RunResult;
import io.godwit.perf.load.check.DeliveryCounts;
import io.godwit.perf.load.measure.Phase;
import io.godwit.perf.load.measure.Sample;
import io.godwit.perf.load.measure.Spread;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.ScenarioName;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Results of runs, for tests of their evaluation. */
final class Runs {
    static final Spread NONE = new Spread(0, 0, 0, 0, 0, 0, 0, 0, 0);
    static final Spread TIMES = new Spread(1_000, 0.25, 1.5, 0.5, 1.25, 2, 9.75, 20, 42.5);

    private final Scenario published;
    private double scale = 1;
    private double expectedIn;
    private double expectedOut;
    private long countedIn;
    private long countedOut;
    private DeliveryCounts delivery;
    private long connected;
    private long failed;
    private double connectSeconds = 2;
    private Map<String, Long> errors = Map.of();
    private List<String> bottlenecks = List.of();
    private List<String> remarks = List.of();
    private boolean isHere = true;
    private int cores = Runtime.getRuntime().availableProcessors();
    private boolean isWatched = true;

    private Runs(Scenario published) {
        this.published = published;
        delivery = new DeliveryCounts(10_000, 0, 0, 0, 10_000, 0, 10_000, 10_000, 0, 0, 0, 0, published.copies() > 0);
        expectedIn = published.statedRateIn() * 10;
        expectedOut = published.statedRateOut() * 10;
        countedIn = (long) expectedIn;
        countedOut = (long) expectedOut;
        connected = published.connections();
    }

    /** A run that went well: ten seconds at the stated rate. */
    static Runs of(String name) {
        return of(ScenarioName.parse(name).orElseThrow());
    }

    static Runs of(Scenario scenario) {
        return new Runs(scenario);
    }

    Runs scale(double scale) {
        this.scale = scale;
        return this;
    }

    Runs in(long countedIn) {
        this.countedIn = countedIn;
        return this;
    }

    Runs out(long countedOut) {
        this.countedOut = countedOut;
        return this;
    }

    Runs delivery(DeliveryCounts delivery) {
        this.delivery = delivery;
        return this;
    }

    Runs failed(long failed) {
        this.failed = failed;
        connected = published.connections() - failed;
        return this;
    }

    Runs connectSeconds(double connectSeconds) {
        this.connectSeconds = connectSeconds;
        return this;
    }

    Runs errors(Map<String, Long> errors) {
        this.errors = errors;
        return this;
    }

    Runs bottleneck(String reason) {
        bottlenecks = List.of(reason);
        return this;
    }

    Runs remark(String remark) {
        remarks = List.of(remark);
        return this;
    }

    /** With the broker on another machine with {@code itsCores} cores. */
    Runs brokerElsewhere(int itsCores) {
        isHere = false;
        cores = itsCores;
        return this;
    }

    Runs unwatched() {
        isWatched = false;
        return this;
    }

    RunResult result() {
        Phase phase = published.isOpenLoop() ? Phase.MEASURE : Phase.CONNECT;
        List<Sample> samples = List.of(
                sample(1, Phase.CONNECT, 0),
                sample(2, phase, 900),
                sample(3, phase, 1_000),
                sample(4, Phase.DRAIN, 10));
        return new RunResult(
                published,
                published,
                scale,
                Instant.parse("2026-01-02T03:04:05Z"),
                List.of("127.0.0.1:1883"),
                isWatched ? "pid 42" : "",
                10,
                expectedIn,
                expectedOut,
                countedIn,
                countedOut,
                delivery,
                TIMES,
                TIMES,
                NONE,
                TIMES,
                TIMES,
                NONE,
                TIMES,
                TIMES,
                8_685.407,
                published.connections(),
                connected,
                failed,
                connectSeconds,
                errors,
                isWatched
                        ? new RunResult.BrokerUse(true, isHere, cores, 0.5, 1, 0.75, 100 << 20, 300 << 20, 200 << 20)
                        : new RunResult.BrokerUse(false, false, 0, 0, 0, -1, 0, 0, 0),
                new RunResult.ToolUse(0.5, 1, 0.25, 150 << 20, 0.5, 1.25),
                bottlenecks,
                false,
                remarks,
                samples);
    }

    private Sample sample(double at, Phase phase, double rate) {
        return new Sample(
                at,
                phase,
                100,
                50,
                rate,
                rate,
                rate,
                rate == 0 ? NONE : TIMES,
                TIMES,
                0.5,
                0,
                isWatched ? 0.5 : -1,
                isWatched ? 200 << 20 : 0,
                0.5,
                0.25,
                0.5);
    }
}
