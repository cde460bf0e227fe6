package io.godwit.perf.load;

import io.godwit.perf.load.check.DeliveryCounts;
import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.load.client.Endpoint;
import io.godwit.perf.load.client.LoopTotals;
import io.godwit.perf.load.client.PublishingClient;
import io.godwit.perf.load.client.RunContext;
import io.godwit.perf.load.client.SubscribingClient;
import io.godwit.perf.load.measure.Phase;
import io.godwit.perf.load.measure.Sample;
import io.godwit.perf.load.measure.Spread;
import io.godwit.perf.observe.Usage;
import io.godwit.perf.observe.UsageSource;
import io.godwit.perf.scenario.Scenario;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Collects what {@link LoadRun} measures, as each part ends, and creates the {@link #result} from it, the loops'
 * counters and the samples. Confined to the thread that leads the run.
 */
final class Findings {
    private final Scenario published;
    private final double scale;
    private final Scenario scenario;
    /** The settings as the user gave them, whereas the run's may lead to a relay. */
    private final ClientSettings clients;

    private final Optional<UsageSource> broker;
    private final Instant begun = Instant.now();
    private final List<String> remarks = new ArrayList<>();

    private double measuredSeconds;
    private long scheduled;
    private double expectedIn;
    private double expectedOut;
    private long countedIn;
    private long countedOut;
    private long notWritten;
    private long unread;
    private double connectSeconds;

    private Optional<Usage> usageBefore = Optional.empty();
    private Optional<Usage> usageAfter = Optional.empty();
    private double usageSeconds;

    Findings(
            Scenario published, double scale, Scenario scenario, ClientSettings clients, Optional<UsageSource> broker) {
        this.published = published;
        this.scale = scale;
        this.scenario = scenario;
        this.clients = clients;
        this.broker = broker;
    }

    /** Adds something that readers of the figures should know. */
    void remark(String remark) {
        remarks.add(remark);
    }

    // ---- called by the run

    /** Begins the time over which the broker's CPU counts. */
    void readUsageBefore() {
        usageBefore = broker.flatMap(UsageSource::read);
    }

    /** Ends the time over which the broker's CPU counts; {@link #connected} or {@link #measured} sets its length. */
    void readUsageAfter() {
        usageAfter = broker.flatMap(UsageSource::read);
    }

    /** To be called when all connections are open or have failed. */
    void connected(double seconds) {
        connectSeconds = seconds;
        usageSeconds = seconds;
    }

    /** To be called when all one-shot clients are finished. */
    void connectedAndPublished(double seconds, long in) {
        connected(seconds);
        measuredSeconds = seconds;
        countedIn = in;
    }

    /**
     * Sets the number of messages of an open loop.
     *
     * @param all messages of warm-up and measured time
     * @param in messages of the measured time
     */
    void scheduled(long all, double in) {
        scheduled = all;
        expectedIn = in;
        expectedOut = in * scenario.copies();
    }

    /** To be called at the end of the measured time, with the messages that came in and went out in it. */
    void measured(double seconds, double secondsOfUsage, long in, long out) {
        measuredSeconds = seconds;
        usageSeconds = secondsOfUsage;
        countedIn = in;
        countedOut = out;
    }

    /** Sets how many messages meant for the measured time arrived, even if somewhat later. */
    void arrived(long in, long out) {
        countedIn = Math.max(countedIn, in);
        countedOut = Math.max(countedOut, out);
    }

    /** Sets how many messages that count as sent could not be written. */
    void notWritten(long messages) {
        notWritten = messages;
    }

    /** Sets how many publishers got no answer to a ping after their last message. */
    void unread(long publishers) {
        unread = publishers;
    }

    // ---- result

    /** The result; to be called after all clients have stopped and their loops have handed over their state. */
    RunResult result(RunContext run, LoopTotals totals, Sampler sampler) {
        List<PublishingClient> publishers = totals.publishers();
        List<SubscribingClient> subscribers = totals.subscribers();
        long sent = totals.sum(c -> c.sent.sum());
        long received = totals.sum(c -> c.received.sum()) - totals.sum(c -> c.foreign.sum());
        long unacknowledged = publishers.stream()
                .mapToLong(publisher -> publisher.outstanding().size())
                .sum();
        DeliveryCounts delivery = new DeliveryCounts(
                sent,
                notWritten,
                unread,
                Math.max(0, scheduled - sent),
                totals.sum(c -> c.acknowledged.sum()),
                unacknowledged,
                sent * scenario.copies(),
                received,
                new Accounting(run, publishers, subscribers).lost(sent, received),
                totals.sum(c -> c.repeated.sum()),
                totals.sum(c -> c.overtaken.sum()),
                totals.sum(c -> c.foreign.sum()),
                scenario.copies() > 0);
        List<Sample> samples = sampler.samples();
        Phase counting = run.isConnecting() ? Phase.CONNECT : Phase.MEASURE;
        RunResult.BrokerUse brokerUse = brokerUse(samples, counting);
        RunResult.ToolUse toolUse = toolUse(samples, counting, sampler.toolBytes());
        Spread lateness = totals.whole(c -> c.lateness);
        Spread connectLateness = totals.whole(c -> c.connectLateness);
        List<String> bottlenecks =
                Bottleneck.reasons(scenario, toolUse.busiestLoop(), sampler.meanGcShare(), lateness, connectLateness);
        return new RunResult(
                scenario,
                published,
                scale,
                begun,
                clients.brokers().stream().map(Endpoint::toString).toList(),
                broker.map(UsageSource::describe).orElse(""),
                measuredSeconds,
                expectedIn,
                expectedOut,
                countedIn,
                countedOut,
                delivery,
                totals.whole(c -> c.latency),
                lateness,
                totals.whole(c -> c.acknowledgement),
                totals.whole(c -> c.connect),
                totals.whole(c -> c.subscribe),
                connectLateness,
                totals.whole(c -> c.clientRuntime),
                totals.whole(c -> c.messageTime),
                totals.clientRates(),
                scenario.connections(),
                totals.sum(c -> c.connected.sum()),
                totals.sum(c -> c.connectFailed.sum()),
                connectSeconds,
                totals.errors(),
                brokerUse,
                toolUse,
                bottlenecks,
                toolUse.meanMachine() > Bottleneck.FULL_MACHINE,
                remarks,
                samples);
    }

    private RunResult.BrokerUse brokerUse(List<Sample> samples, Phase counting) {
        if (usageBefore.isEmpty() || usageAfter.isEmpty() || usageSeconds <= 0) {
            return new RunResult.BrokerUse(false, false, 0, 0, 0, -1, 0, 0, 0);
        }
        Usage before = usageBefore.get();
        Usage after = usageAfter.get();
        double cpu = Math.max(0, after.cpuNanos() - before.cpuNanos());
        boolean isUserKnown = before.userCpuNanos() >= 0 && after.userCpuNanos() >= 0;
        List<Sample> watched = samples.stream().filter(s -> s.brokerBytes() > 0).toList();
        List<Sample> measured = of(counting, watched);
        return new RunResult.BrokerUse(
                true,
                broker.map(UsageSource::isHere).orElse(false),
                broker.map(UsageSource::cores).orElse(0),
                cpu / 1e9 / usageSeconds,
                measured.stream()
                        .mapToDouble(Sample::brokerCores)
                        .filter(cores -> cores >= 0)
                        .max()
                        .orElse(cpu / 1e9 / usageSeconds),
                isUserKnown && cpu > 0 ? (after.userCpuNanos() - before.userCpuNanos()) / cpu : -1,
                watched.stream().mapToLong(Sample::brokerBytes).min().orElse(before.residentBytes()),
                watched.stream().mapToLong(Sample::brokerBytes).max().orElse(after.residentBytes()),
                watched.isEmpty()
                        ? after.residentBytes()
                        : watched.get(watched.size() - 1).brokerBytes());
    }

    private static RunResult.ToolUse toolUse(List<Sample> samples, Phase counting, long mostBytes) {
        List<Sample> measured = of(counting, samples);
        return new RunResult.ToolUse(
                measured.stream().mapToDouble(Sample::toolCores).average().orElse(0),
                measured.stream().mapToDouble(Sample::toolCores).max().orElse(0),
                measured.stream().mapToDouble(Sample::busiestLoop).average().orElse(0),
                mostBytes,
                measured.stream().mapToDouble(Sample::machine).average().orElse(-1),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    /** The samples of {@code phase}; all samples if it was too short for any. */
    private static List<Sample> of(Phase phase, List<Sample> all) {
        List<Sample> counting = all.stream().filter(s -> s.phase() == phase).toList();
        return counting.isEmpty() ? all : counting;
    }
}
