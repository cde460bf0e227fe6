package io.godwit.perf.load;

import io.godwit.perf.load.check.GroupCheck;
import io.godwit.perf.load.check.MessageHeader;
import io.godwit.perf.load.client.ClientRole;
import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.load.client.LoadLoop;
import io.godwit.perf.load.client.LoadSettings;
import io.godwit.perf.load.client.LoopTotals;
import io.godwit.perf.load.client.Pacer;
import io.godwit.perf.load.client.RunContext;
import io.godwit.perf.load.client.WebSocketRelay;
import io.godwit.perf.load.measure.Errors;
import io.godwit.perf.load.measure.MeasuredTime;
import io.godwit.perf.load.measure.Phase;
import io.godwit.perf.load.measure.RunProgress;
import io.godwit.perf.load.measure.Time;
import io.godwit.perf.load.measure.Timetable;
import io.godwit.perf.observe.SelfUsage;
import io.godwit.perf.observe.UsageSource;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Topology;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs one scenario: opens the clients ({@link #connect}), sends during warm-up and measured time ({@link #publish}),
 * waits for messages under way ({@link #drain}) and disconnects ({@link #close}). The calling thread leads and samples
 * once a second ({@link Sampler}); all its waits have a limit. It hands what it measures to {@link Findings}, which
 * create the result. Used once.
 */
public final class LoadRun {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final Duration NO_PROGRESS = Duration.ofSeconds(30);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(20);
    private static final int PRACTICE = 200;
    private static final Duration PRACTICE_LIMIT = Duration.ofSeconds(10);
    private static final Duration UNDER_WAY = Duration.ofMillis(250);
    private static final Duration START_DELAY = Duration.ofMillis(50);

    private final Scenario scenario;
    private final LoadSettings settings;
    private final ClientSettings clients;
    private final Errors relayErrors = new Errors();
    /** Replaced by {@link #deploy} if clients connect through a relay. */
    private RunContext run;

    private final List<LoadLoop> loops = new ArrayList<>();
    private final LoopTotals totals = new LoopTotals(loops, relayErrors);
    private final Sampler sampler;
    private final Findings findings;

    /**
     * Prepares a run.
     *
     * @param scenario what is run: the published one, scaled
     * @param topics the topics that the user wants, with %i for the number of the client; null: topics of this run
     * alone
     * @param broker where the broker's CPU and memory can be read
     * @param progress called once a second, on the calling thread
     */
    public LoadRun(
            Scenario published,
            double scale,
            Scenario scenario,
            LoadSettings settings,
            ClientSettings clients,
            @Nullable String topics,
            Optional<UsageSource> broker,
            Consumer<RunProgress> progress) {
        this.scenario = scenario;
        this.settings = settings;
        this.clients = clients;
        this.sampler = new Sampler(scenario, totals, broker, progress);
        this.findings = new Findings(published, scale, scenario, clients, broker);
        MessageHeader header = MessageHeader.fitting(scenario.payloadBytes());
        if (scenario.publishers() > 0
                && scenario.subscribers() > 0
                && !header.limitation().isEmpty()) {
            findings.remark(header.limitation());
        }
        if (!settings.ackDelay().isZero()) {
            findings.remark("subscribers acknowledge %,d ms after each delivery"
                    .formatted(settings.ackDelay().toMillis()));
        }
        boolean isGroup = scenario.topology() == Topology.SHARED && header.hasSequence();
        run = new RunContext(
                Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36),
                scenario,
                settings,
                clients,
                header,
                topics,
                isGroup ? new GroupCheck(scenario.publishers()) : null,
                new MeasuredTime());
    }

    /**
     * Runs the scenario.
     *
     * @throws LoadFailedException if clients could not be opened
     */
    public RunResult run() throws LoadFailedException, InterruptedException {
        Vertx vertx = Vertx.vertx(
                new VertxOptions().setEventLoopPoolSize(settings.loops()).setPreferNativeTransport(true));
        try {
            deploy(vertx);
            try (Pacer pacer = new Pacer(loops)) {
                pacer.start();
                if (run.isConnecting() && !scenario.isCold()) {
                    practise(vertx);
                }
                // after the practice, in which the loops have little to do
                sampler.start(new SelfUsage(loops.stream().map(LoadLoop::thread).toList()));
                connect();
                if (run.isConnecting()) {
                    hold();
                } else {
                    publish();
                    drain();
                }
            }
            findings.notWritten(totals.sum(c -> c.notWritten.sum())); // before closing clients that still write
            close();
            return findings.result(run, totals, sampler);
        } finally {
            quietly(vertx.close(), CLOSE_TIMEOUT);
        }
    }

    private void deploy(Vertx vertx) throws InterruptedException, LoadFailedException {
        Future<ClientSettings> relayed = WebSocketRelay.start(vertx, clients, settings.loops(), relayErrors);
        if (!quietly(relayed, CLOSE_TIMEOUT)) {
            throw new LoadFailedException("the relay to WebSockets did not start: " + relayed.cause());
        }
        run = run.with(relayed.result());
        List<Future<String>> deployed = new ArrayList<>();
        for (int i = 0; i < settings.loops(); i++) {
            LoadLoop loop = new LoadLoop(run, i, settings.loops());
            loops.add(loop);
            deployed.add(
                    vertx.deployVerticle(loop, new DeploymentOptions().setThreadingModel(ThreadingModel.EVENT_LOOP)));
        }
        if (!quietly(Future.all(deployed), CLOSE_TIMEOUT)) {
            throw new LoadFailedException("the event loops did not start");
        }
    }

    // ---- connect

    /**
     * Opens and closes some connections that are not counted: the first ones of a process load its classes, which takes
     * longer than anything that is measured later.
     */
    private void practise(Vertx vertx) throws InterruptedException {
        LoadLoop loop = new LoadLoop(run.practising(), 0, 1);
        quietly(vertx.deployVerticle(loop), CLOSE_TIMEOUT);
        int count = Math.min(PRACTICE, scenario.connections());
        loop.open(ClientRole.BACKGROUND, count, new Timetable(Time.nowNanos(), PRACTICE, count, 0), PRACTICE);
        try (Pacer pacer = new Pacer(List.of(loop))) {
            pacer.start();
            long endNanos = Time.nowNanos() + PRACTICE_LIMIT.toNanos();
            while (loop.counters.connected.sum() + loop.counters.connectFailed.sum() < count
                    && Time.nowNanos() < endNanos) {
                sleepUntil(Time.nowNanos() + TimeUnit.MILLISECONDS.toNanos(10));
            }
        }
        quietly(loop.closeAll(), CLOSE_TIMEOUT);
        relayErrors.clear();
    }

    private void connect() throws LoadFailedException, InterruptedException {
        switch (scenario.topology()) {
            case CONNECTIONS -> {
                findings.readUsageBefore();
                long from = Time.nowNanos();
                open(ClientRole.BACKGROUND, scenario.background(), scenario.connectRate(), false);
                open(ClientRole.SUBSCRIBER, scenario.subscribers(), scenario.connectRate(), false);
                findings.connected((Time.nowNanos() - from) / 1e9);
                findings.readUsageAfter();
            }
            case CONNECT_AND_PUBLISH -> {
                findings.readUsageBefore();
                long from = Time.nowNanos();
                open(ClientRole.ONE_SHOT, scenario.publishers(), 0, false);
                awaitArrivals(() -> totals.sum(c -> c.finished.sum()) + totals.sum(c -> c.disconnected.sum())
                        >= totals.sum(c -> c.connected.sum()));
                double seconds = (Time.nowNanos() - from) / 1e9;
                findings.connectedAndPublished(seconds, totals.sum(c -> c.finished.sum()) * scenario.messagesEach());
                findings.readUsageAfter();
            }
            default -> {
                open(ClientRole.BACKGROUND, scenario.background(), settings.connectRate(), true);
                open(ClientRole.SUBSCRIBER, scenario.subscribers(), settings.connectRate(), true);
                open(ClientRole.PUBLISHER, scenario.publishers(), settings.connectRate(), true);
            }
        }
    }

    /**
     * Opens clients and waits until each is open or has failed.
     *
     * @param rate clients per second; 0: as fast as the broker answers
     * @param isAllNeeded whether a client that fails ends the run
     */
    private void open(ClientRole role, int total, double rate, boolean isAllNeeded)
            throws LoadFailedException, InterruptedException {
        if (total == 0) {
            return;
        }
        long before = opened();
        long startNanos = Time.nowNanos();
        for (int i = 0; i < loops.size(); i++) {
            LoadLoop loop = loops.get(i);
            int share = loop.share(total);
            Timetable table = rate == 0 || share == 0
                    ? null
                    : new Timetable(startNanos, rate * share / total, share, i / (double) loops.size());
            loop.open(role, total, table, Math.max(1, settings.connecting() / loops.size()));
        }
        long progressNanos = startNanos;
        long lastProgress = -1;
        while (opened() - before < total) {
            sleepUntil(Math.min(sampler.dueNanos(), Time.nowNanos() + TimeUnit.MILLISECONDS.toNanos(20)));
            long failed = totals.sum(c -> c.connectFailed.sum());
            if (isAllNeeded && failed > 0) {
                throw new LoadFailedException("clients cannot connect: " + totals.errorText());
            }
            // publishing is progress too, as a client may have much to publish before it counts as ready
            long done = opened() + totals.sum(c -> c.sent.sum()) + totals.sum(c -> c.acknowledged.sum());
            if (done != lastProgress) {
                lastProgress = done;
                progressNanos = Time.nowNanos();
            } else if (Time.nowNanos() - progressNanos
                    > NO_PROGRESS.toNanos() + (rate == 0 ? 0 : (long) (SECOND / rate))) {
                throw new LoadFailedException("%,d of %,d clients are connected, and no more for %d s; %s"
                        .formatted(opened() - before, total, NO_PROGRESS.toSeconds(), totals.errorText()));
            }
            double left = rate > 0 ? total / rate - (Time.nowNanos() - startNanos) / 1e9 : 0;
            sampler.sampleIfDue(Math.max(0, left) + lengthOfLoad());
        }
        sampler.sampleIfDue(lengthOfLoad());
    }

    /** Clients of all roles that have connected or failed so far. */
    private long opened() {
        return totals.sum(c -> c.connected.sum()) + totals.sum(c -> c.connectFailed.sum());
    }

    private double lengthOfLoad() {
        return warmUp().plus(settings.duration()).toMillis() / 1e3;
    }

    private Duration warmUp() {
        return scenario.isCold() || run.isConnecting() ? Duration.ZERO : settings.warmUp();
    }

    /** Keeps the connections of a connection test open for a while, to measure their memory. */
    private void hold() throws InterruptedException {
        sampler.enter(Phase.MEASURE);
        long endNanos = Time.nowNanos() + settings.duration().toNanos();
        while (Time.nowNanos() < endNanos) {
            sleepUntil(Math.min(sampler.dueNanos(), endNanos));
            sampler.sampleIfDue((endNanos - Time.nowNanos()) / 1e9);
        }
        sampler.sample(0);
    }

    // ---- publish

    private void publish() throws InterruptedException {
        double warmUpSeconds = warmUp().toNanos() / 1e9;
        double seconds = settings.duration().toNanos() / 1e9;
        long startNanos = Time.nowNanos() + START_DELAY.toNanos();
        long measureNanos = startNanos + (long) (warmUpSeconds * 1e9);
        long endNanos = measureNanos + (long) (seconds * 1e9);
        run.measured().begin(measureNanos);
        List<Timetable> tables = scenario.isOpenLoop() ? tables(startNanos, warmUpSeconds + seconds) : List.of();
        long scheduled = 0;
        double expectedIn = 0;
        for (Timetable table : tables) {
            scheduled += table.count();
            expectedIn += table.due(endNanos) - table.due(measureNanos - 1);
        }
        findings.scheduled(scheduled, expectedIn);
        follow(tables);
        sampler.enter(Phase.WARM_UP);
        watchUntil(measureNanos, endNanos);
        sampler.enter(Phase.MEASURE);
        long in = counted();
        long out = totals.sum(c -> c.received.sum());
        final long from = Time.nowNanos();
        findings.readUsageBefore();
        final long usageFrom = Time.nowNanos();
        watchUntil(endNanos, endNanos);
        final double measuredSeconds = (Time.nowNanos() - from) / 1e9;
        final long countedIn = counted() - in;
        final long countedOut = totals.sum(c -> c.received.sum()) - out;
        findings.readUsageAfter();
        findings.measured(measuredSeconds, (Time.nowNanos() - usageFrom) / 1e9, countedIn, countedOut);
        quietly(Future.all(loops.stream().map(LoadLoop::stopPublishing).toList()), CLOSE_TIMEOUT);
        if (scenario.isOpenLoop()) {
            // Messages under way at the end are balanced by those at the beginning, but not if nothing was sent before.
            sleepUntil(endNanos + UNDER_WAY.toNanos());
            findings.arrived(totals.sum(c -> c.measuredIn.sum()), totals.sum(c -> c.measuredOut.sum()));
        }
    }

    /** A timetable for each loop that has publishers, in the order of the loops. */
    private List<Timetable> tables(long startNanos, double seconds) {
        List<Timetable> tables = new ArrayList<>();
        long sharing = loops.stream()
                .filter(loop -> loop.share(scenario.publishers()) > 0)
                .count();
        for (LoadLoop loop : loops) {
            int share = loop.share(scenario.publishers());
            if (share > 0) {
                double rate = share * scenario.ratePerPublisher();
                // Offsets the loops' timetables against each other; a single one by half a slot.
                double slot = (tables.size() + 0.5) / sharing;
                tables.add(new Timetable(startNanos, rate, Math.max(0, (long) Math.ceil(rate * seconds - slot)), slot));
            }
        }
        return tables;
    }

    private void follow(List<Timetable> tables) {
        int next = 0;
        for (LoadLoop loop : loops) {
            if (loop.share(scenario.publishers()) > 0) {
                if (scenario.isOpenLoop()) {
                    loop.publish(tables.get(next++));
                } else {
                    loop.publishInClosedLoop();
                }
            }
        }
    }

    private void watchUntil(long untilNanos, long endNanos) throws InterruptedException {
        while (Time.nowNanos() < untilNanos) {
            sleepUntil(Math.min(sampler.dueNanos(), untilNanos));
            sampler.sampleIfDue((endNanos - Time.nowNanos()) / 1e9);
        }
    }

    /** Messages that came in: those acknowledged, or at QoS 0 those sent. */
    private long counted() {
        return totals.sum(scenario.qos() == 0 ? c -> c.sent.sum() - c.notWritten.sum() : c -> c.acknowledged.sum());
    }

    // ---- drain

    private void drain() throws InterruptedException {
        sampler.enter(Phase.DRAIN);
        if (scenario.topology() == Topology.LISTEN) {
            return;
        }
        boolean isFenced = scenario.qos() == 0 && scenario.copies() == 0;
        if (isFenced) {
            loops.forEach(LoadLoop::fence);
        }
        awaitArrivals(() -> {
            long sent = totals.sum(c -> c.sent.sum());
            boolean isAcknowledged = scenario.qos() == 0 || totals.sum(c -> c.acknowledged.sum()) >= sent;
            boolean isReceived =
                    totals.sum(c -> c.received.sum()) - totals.sum(c -> c.repeated.sum()) >= sent * scenario.copies();
            boolean isRead = !isFenced || totals.sum(c -> c.fenced.sum()) >= scenario.publishers();
            return isAcknowledged && isReceived && isRead;
        });
        sampler.sample(0);
        if (isFenced) {
            findings.unread(scenario.publishers() - totals.sum(c -> c.fenced.sum()));
        }
    }

    /**
     * Waits until {@code isComplete}, or until nothing has arrived for {@link LoadSettings#drain} plus the delay of
     * acknowledgements; at most ten times that.
     */
    private void awaitArrivals(java.util.function.BooleanSupplier isComplete) throws InterruptedException {
        long quietNanos = settings.drain().plus(settings.ackDelay()).toNanos();
        long endNanos = Time.nowNanos() + quietNanos * 10;
        long movedNanos = Time.nowNanos();
        long last = -1;
        while (!isComplete.getAsBoolean() && Time.nowNanos() < endNanos) {
            long now = totals.sum(c -> c.received.sum())
                    + totals.sum(c -> c.acknowledged.sum())
                    + totals.sum(c -> c.fenced.sum())
                    + totals.sum(c -> c.finished.sum());
            if (now != last) {
                last = now;
                movedNanos = Time.nowNanos();
            } else if (Time.nowNanos() - movedNanos > quietNanos) {
                return;
            }
            sleepUntil(Time.nowNanos() + TimeUnit.MILLISECONDS.toNanos(10));
            sampler.sampleIfDue(0);
        }
    }

    private void close() throws InterruptedException {
        if (!quietly(Future.all(loops.stream().map(LoadLoop::closeAll).toList()), CLOSE_TIMEOUT)) {
            findings.remark("not all connections were closed within " + CLOSE_TIMEOUT.toSeconds() + " s");
        }
        int sessions = scenario.topology() == Topology.CONNECTIONS
                ? scenario.connections()
                : scenario.subscribers() + scenario.background();
        if (!scenario.isCleanSession() && !settings.isKeepingSessions() && sessions > 0) {
            List<Future<Integer>> removals =
                    loops.stream().map(LoadLoop::removeSessions).toList();
            Duration limit = CLOSE_TIMEOUT.plusMillis(sessions * 2L);
            long removed = quietly(Future.all(removals), limit)
                    ? removals.stream().mapToInt(Future::result).sum()
                    : -1;
            if (removed < sessions) {
                findings.remark(
                        "persistent sessions are left at the broker (removed: " + removed + " of " + sessions + ")");
            }
        }
    }

    // ---- waiting

    private static void sleepUntil(long untilNanos) throws InterruptedException {
        long nanos = untilNanos - Time.nowNanos();
        if (nanos > 0) {
            TimeUnit.NANOSECONDS.sleep(nanos);
        }
    }

    /** Waits for the future; returns whether it has succeeded within {@code timeout}. */
    private static boolean quietly(Future<?> future, Duration timeout) throws InterruptedException {
        try {
            future.toCompletionStage().toCompletableFuture().get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }
}
