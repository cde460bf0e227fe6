package io.godwit.perf.load;

import io.godwit.perf.load.client.LoopTotals;
import io.godwit.perf.load.measure.Phase;
import io.godwit.perf.load.measure.RunProgress;
import io.godwit.perf.load.measure.Sample;
import io.godwit.perf.load.measure.Spread;
import io.godwit.perf.load.measure.Time;
import io.godwit.perf.observe.SelfUsage;
import io.godwit.perf.observe.Usage;
import io.godwit.perf.observe.UsageSource;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Topology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Samples the loops, this process and the broker about once a second, keeps each {@link Sample} and reports progress.
 * It has no thread: the one that leads the run calls it ({@link #sampleIfDue}).
 */
final class Sampler {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Scenario scenario;
    private final LoopTotals totals;
    private final Optional<UsageSource> broker;
    private final Consumer<RunProgress> progress;
    private final long begunNanos = Time.nowNanos();
    /** Null until {@link #start}. */
    private @Nullable SelfUsage self;

    private Phase phase = Phase.CONNECT;

    // The state at the last sample.
    private long sampledNanos = begunNanos;
    private long sampledConnected;
    private long sampledSent;
    private long sampledAcknowledged;
    private long sampledReceived;
    private Optional<Usage> sampledUsage = Optional.empty();

    // Collected over the whole run.
    private final List<Sample> samples = new ArrayList<>();
    private final List<Double> gcShares = new ArrayList<>();
    private long toolBytes;

    Sampler(Scenario scenario, LoopTotals totals, Optional<UsageSource> broker, Consumer<RunProgress> progress) {
        this.scenario = scenario;
        this.totals = totals;
        this.broker = broker;
        this.progress = progress;
    }

    /** Begins sampling: the first sample is about the time from now. */
    void start(SelfUsage self) {
        this.self = self;
        sampledNanos = Time.nowNanos();
    }

    /** Assigns the following samples to {@code phase}. */
    void enter(Phase phase) {
        this.phase = phase;
    }

    /** When the next sample is due, as {@link Time#nowNanos}. */
    long dueNanos() {
        return sampledNanos + SECOND;
    }

    void sampleIfDue(double remainingSeconds) {
        if (Time.nowNanos() - sampledNanos >= SECOND) {
            sample(remainingSeconds);
        }
    }

    void sample(double remainingSeconds) {
        long nowNanos = Time.nowNanos();
        double seconds = (nowNanos - sampledNanos) / 1e9;
        if (seconds < 0.05 || self == null) {
            return; // too short for a rate
        }
        sampledNanos = nowNanos;
        final long connected = totals.sum(c -> c.connected.sum());
        final long sent = totals.sum(c -> c.sent.sum());
        final long acknowledged = totals.sum(c -> c.acknowledged.sum());
        final long received = totals.sum(c -> c.received.sum());
        Optional<Usage> usage = broker.flatMap(UsageSource::read);
        double cores = usage.isPresent() && sampledUsage.isPresent()
                ? Math.max(0, usage.get().cpuNanos() - sampledUsage.get().cpuNanos()) / 1e9 / seconds
                : -1;
        SelfUsage.Look look = self.look();
        Sample sample = new Sample(
                (nowNanos - begunNanos) / 1e9,
                phase,
                connected - totals.sum(c -> c.disconnected.sum()),
                (connected - sampledConnected) / seconds,
                (sent - sampledSent) / seconds,
                (acknowledged - sampledAcknowledged) / seconds,
                (received - sampledReceived) / seconds,
                Spread.of(totals.taken(c -> c.latencyNow)),
                Spread.of(totals.taken(c -> c.connectNow)),
                Spread.of(totals.taken(c -> c.latenessNow)).p99(),
                totals.errorCount(),
                cores,
                usage.map(Usage::residentBytes).orElse(0L),
                look.cores(),
                look.busiestLoop(),
                look.machine());
        gcShares.add(look.gcShare());
        toolBytes = Math.max(toolBytes, look.residentBytes());
        sampledConnected = connected;
        sampledSent = sent;
        sampledAcknowledged = acknowledged;
        sampledReceived = received;
        sampledUsage = usage;
        samples.add(sample);
        progress.accept(new RunProgress(
                phase, sample, scenario.connections(), scenario.topology() != Topology.CONNECTIONS, remainingSeconds));
    }

    /** The samples so far, as an unmodifiable view. */
    List<Sample> samples() {
        return Collections.unmodifiableList(samples);
    }

    /** Mean share of time spent in garbage collections, 0 to 1. */
    double meanGcShare() {
        return gcShares.stream().mapToDouble(Double::doubleValue).average().orElse(0);
    }

    /** The most memory that this process held at a sample. */
    long toolBytes() {
        return toolBytes;
    }
}
