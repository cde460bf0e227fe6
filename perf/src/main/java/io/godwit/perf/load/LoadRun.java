package io.godwit.perf.load;

import io.godwit.perf.load.LoadLoop.Role;
import io.godwit.perf.observe.SelfUsage;
import io.godwit.perf.observe.Usage;
import io.godwit.perf.observe.UsageSource;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Topology;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;
import org.jspecify.annotations.Nullable;

/**
 * Runs one scenario: opens the clients ({@link #connect}), sends through warm-up and measured time ({@link #publish}), waits for what is under way
 * ({@link #drain}), takes leave ({@link #close}) and adds up ({@link #result}). The calling thread leads and looks once a second; it waits nowhere without a
 * limit. Used once.
 */
public final class LoadRun {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final Duration NO_PROGRESS = Duration.ofSeconds(30);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(20);
    private static final int PRACTICE = 200;
    private static final Duration PRACTICE_LIMIT = Duration.ofSeconds(10);
    private static final Duration UNDER_WAY = Duration.ofMillis(250);
    private static final Duration START_DELAY = Duration.ofMillis(50);

    private final Scenario published;
    private final double scale;
    private final Scenario scenario;
    private final LoadSettings settings;
    private final ClientSettings clients;
    private final Errors relayErrors = new Errors();
    /** Of clients that go by a relay once there is one, see {@link #deploy}. */
    private RunContext run;

    private final Optional<UsageSource> broker;
    private final Consumer<Progress> progress;
    private final List<LoadLoop> loops = new ArrayList<>();
    private final List<Sample> samples = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();
    private final Instant begun = Instant.now();
    private final long begunNanos = Time.nowNanos();

    // What the sampling thread remembers of its last look.
    private long sampledNanos = begunNanos;
    private long sampledConnected;
    private long sampledSent;
    private long sampledAcknowledged;
    private long sampledReceived;
    private Optional<Usage> sampledUsage = Optional.empty();
    private @Nullable SelfUsage self;
    private final List<Double> gcShares = new ArrayList<>();
    private long toolBytes;
    private Phase phase = Phase.CONNECT;

    // What is known of the measured time once it is over.
    private double measuredSeconds;
    private long scheduled;
    private double expectedIn;
    private double expectedOut;
    private long countedIn;
    private long countedOut;
    private double connectSeconds;
    private Optional<Usage> usageBefore = Optional.empty();
    private Optional<Usage> usageAfter = Optional.empty();
    private double usageSeconds;

    /**
     * @param scenario what is run: the published one, scaled
     * @param topics what the user wants topics to be, %i being the number of the client; null: topics of this run alone
     * @param broker where its CPU and memory can be read
     * @param progress told once a second, on the calling thread
     */
    public LoadRun(
            Scenario published,
            double scale,
            Scenario scenario,
            LoadSettings settings,
            ClientSettings clients,
            @Nullable String topics,
            Optional<UsageSource> broker,
            Consumer<Progress> progress) {
        this.published = published;
        this.scale = scale;
        this.scenario = scenario;
        this.settings = settings;
        this.clients = clients;
        this.broker = broker;
        this.progress = progress;
        MessageHeader header = MessageHeader.fitting(scenario.payloadBytes());
        if (scenario.publishers() > 0
                && scenario.subscribers() > 0
                && !header.limitation().isEmpty()) {
            remarks.add(header.limitation());
        }
        if (!settings.ackDelay().isZero()) {
            remarks.add("subscribers acknowledge %,d ms after each delivery"
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

    /** {@link LoadFailedException} when clients could not be opened. */
    public RunResult run() throws LoadFailedException, InterruptedException {
        Vertx vertx = Vertx.vertx(
                new VertxOptions().setEventLoopPoolSize(settings.loops()).setPreferNativeTransport(true));
        try {
            deploy(vertx);
            self = new SelfUsage(loops.stream().map(LoadLoop::thread).toList());
            try (Pacer pacer = new Pacer(loops)) {
                pacer.start();
                if (isConnecting() && !scenario.isCold()) {
                    practise(vertx);
                }
                connect();
                if (isConnecting()) {
                    hold();
                } else {
                    publish();
                    drain();
                }
            }
            close();
            return result();
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

    /** Whether opening connections is what is measured. */
    private boolean isConnecting() {
        return scenario.topology() == Topology.CONNECTIONS || scenario.topology() == Topology.CONNECT_AND_PUBLISH;
    }

    /**
     * Opens and closes some connections that nobody counts: the first ones of a process load its classes, which takes longer than all that is measured
     * later.
     */
    private void practise(Vertx vertx) throws InterruptedException {
        LoadLoop loop = new LoadLoop(run.practising(), 0, 1);
        quietly(vertx.deployVerticle(loop), CLOSE_TIMEOUT);
        int count = Math.min(PRACTICE, scenario.connections());
        loop.open(Role.BACKGROUND, count, new Timetable(Time.nowNanos(), PRACTICE, count, 0), PRACTICE);
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
                usageBefore = broker.flatMap(UsageSource::read);
                long from = Time.nowNanos();
                open(Role.BACKGROUND, scenario.background(), scenario.connectRate(), false);
                open(Role.SUBSCRIBER, scenario.subscribers(), scenario.connectRate(), false);
                connectSeconds = (Time.nowNanos() - from) / 1e9;
                usageAfter = broker.flatMap(UsageSource::read);
                usageSeconds = connectSeconds;
            }
            case CONNECT_AND_PUBLISH -> {
                usageBefore = broker.flatMap(UsageSource::read);
                long from = Time.nowNanos();
                open(Role.ONE_SHOT, scenario.publishers(), 0, false);
                awaitArrivals(() ->
                        sum(c -> c.finished.sum()) + sum(c -> c.disconnected.sum()) >= sum(c -> c.connected.sum()));
                connectSeconds = (Time.nowNanos() - from) / 1e9;
                measuredSeconds = connectSeconds;
                countedIn = sum(c -> c.finished.sum()) * scenario.messagesEach();
                usageAfter = broker.flatMap(UsageSource::read);
                usageSeconds = connectSeconds;
            }
            default -> {
                open(Role.BACKGROUND, scenario.background(), settings.connectRate(), true);
                open(Role.SUBSCRIBER, scenario.subscribers(), settings.connectRate(), true);
                open(Role.PUBLISHER, scenario.publishers(), settings.connectRate(), true);
            }
        }
    }

    /**
     * Opens clients and waits until each is open or has failed.
     *
     * @param rate per second; 0: as fast as they are answered
     * @param isAllNeeded whether a client that fails ends the run
     */
    private void open(Role role, int total, double rate, boolean isAllNeeded)
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
        long lastOpened = before;
        while (opened() - before < total) {
            sleepUntil(Math.min(sampledNanos + SECOND, Time.nowNanos() + TimeUnit.MILLISECONDS.toNanos(20)));
            long failed = sum(c -> c.connectFailed.sum());
            if (isAllNeeded && failed > 0) {
                throw new LoadFailedException("clients cannot connect: " + errorText());
            }
            if (opened() != lastOpened) {
                lastOpened = opened();
                progressNanos = Time.nowNanos();
            } else if (Time.nowNanos() - progressNanos
                    > NO_PROGRESS.toNanos() + (rate == 0 ? 0 : (long) (SECOND / rate))) {
                throw new LoadFailedException("%,d of %,d clients are connected, and no more for %d s; %s"
                        .formatted(opened() - before, total, NO_PROGRESS.toSeconds(), errorText()));
            }
            double left = rate > 0 ? total / rate - (Time.nowNanos() - startNanos) / 1e9 : 0;
            sampleIfDue(Math.max(0, left) + lengthOfLoad());
        }
        sampleIfDue(lengthOfLoad());
    }

    /** Connected or failed, of all clients so far. */
    private long opened() {
        return sum(c -> c.connected.sum()) + sum(c -> c.connectFailed.sum());
    }

    private double lengthOfLoad() {
        return warmUp().plus(settings.duration()).toMillis() / 1e3;
    }

    private Duration warmUp() {
        return scenario.isCold() || isConnecting() ? Duration.ZERO : settings.warmUp();
    }

    /** Of a connection test: all stay open for a while, for the memory that they take. */
    private void hold() throws InterruptedException {
        phase = Phase.MEASURE;
        long endNanos = Time.nowNanos() + settings.duration().toNanos();
        while (Time.nowNanos() < endNanos) {
            sleepUntil(Math.min(sampledNanos + SECOND, endNanos));
            sampleIfDue((endNanos - Time.nowNanos()) / 1e9);
        }
        sample(0);
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
        for (Timetable table : tables) {
            scheduled += table.count();
            expectedIn += table.due(endNanos) - table.due(measureNanos - 1);
        }
        expectedOut = expectedIn * scenario.copies();
        follow(tables);
        phase = Phase.WARM_UP;
        watchUntil(measureNanos, endNanos);
        phase = Phase.MEASURE;
        long in = counted();
        long out = sum(c -> c.received.sum());
        final long from = Time.nowNanos();
        usageBefore = broker.flatMap(UsageSource::read);
        final long usageFrom = Time.nowNanos();
        watchUntil(endNanos, endNanos);
        measuredSeconds = (Time.nowNanos() - from) / 1e9;
        countedIn = counted() - in;
        countedOut = sum(c -> c.received.sum()) - out;
        usageAfter = broker.flatMap(UsageSource::read);
        usageSeconds = (Time.nowNanos() - usageFrom) / 1e9;
        quietly(Future.all(loops.stream().map(LoadLoop::stopPublishing).toList()), CLOSE_TIMEOUT);
        if (scenario.isOpenLoop()) {
            // What is under way at the end is made up for by what was at the beginning, but not where there was nothing
            // before.
            sleepUntil(endNanos + UNDER_WAY.toNanos());
            countedIn = Math.max(countedIn, sum(c -> c.measuredIn.sum()));
            countedOut = Math.max(countedOut, sum(c -> c.measuredOut.sum()));
        }
    }

    /** One for each loop that has publishers, in the order of the loops. */
    private List<Timetable> tables(long startNanos, double seconds) {
        List<Timetable> tables = new ArrayList<>();
        long sharing = loops.stream()
                .filter(loop -> loop.share(scenario.publishers()) > 0)
                .count();
        for (LoadLoop loop : loops) {
            int share = loop.share(scenario.publishers());
            if (share > 0) {
                double rate = share * scenario.ratePerPublisher();
                // Between those of other loops; half a slot from the edges when there is one.
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
            sleepUntil(Math.min(sampledNanos + SECOND, untilNanos));
            sampleIfDue((endNanos - Time.nowNanos()) / 1e9);
        }
    }

    /** Messages that came in: what the broker acknowledged, or at QoS 0 what was sent. */
    private long counted() {
        return sum(scenario.qos() == 0 ? c -> c.sent.sum() : c -> c.acknowledged.sum());
    }

    // ---- drain

    private void drain() throws InterruptedException {
        phase = Phase.DRAIN;
        if (scenario.topology() == Topology.LISTEN) {
            return;
        }
        boolean isFenced = scenario.qos() == 0 && scenario.copies() == 0;
        if (isFenced) {
            loops.forEach(LoadLoop::fence);
        }
        awaitArrivals(() -> {
            long sent = sum(c -> c.sent.sum());
            boolean isAcknowledged = scenario.qos() == 0 || sum(c -> c.acknowledged.sum()) >= sent;
            boolean isReceived = sum(c -> c.received.sum()) - sum(c -> c.repeated.sum()) >= sent * scenario.copies();
            boolean isRead = !isFenced || sum(c -> c.fenced.sum()) >= scenario.publishers();
            return isAcknowledged && isReceived && isRead;
        });
        sample(0);
        if (isFenced && sum(c -> c.fenced.sum()) < scenario.publishers()) {
            remarks.add(
                    "%,d of %,d publishers got no answer to a ping after their last message: the broker may not have read all of it"
                            .formatted(scenario.publishers() - sum(c -> c.fenced.sum()), scenario.publishers()));
        }
    }

    /**
     * Until {@code isComplete}, or until nothing has moved for the time of {@link LoadSettings#drain} after what has to be acknowledged first; at most ten
     * times that.
     */
    private void awaitArrivals(java.util.function.BooleanSupplier isComplete) throws InterruptedException {
        long quietNanos = settings.drain().plus(settings.ackDelay()).toNanos();
        long endNanos = Time.nowNanos() + quietNanos * 10;
        long movedNanos = Time.nowNanos();
        long last = -1;
        while (!isComplete.getAsBoolean() && Time.nowNanos() < endNanos) {
            long now = sum(c -> c.received.sum())
                    + sum(c -> c.acknowledged.sum())
                    + sum(c -> c.fenced.sum())
                    + sum(c -> c.finished.sum());
            if (now != last) {
                last = now;
                movedNanos = Time.nowNanos();
            } else if (Time.nowNanos() - movedNanos > quietNanos) {
                return;
            }
            sleepUntil(Time.nowNanos() + TimeUnit.MILLISECONDS.toNanos(10));
            sampleIfDue(0);
        }
    }

    private void close() throws InterruptedException {
        if (!quietly(Future.all(loops.stream().map(LoadLoop::closeAll).toList()), CLOSE_TIMEOUT)) {
            remarks.add("not all connections were closed within " + CLOSE_TIMEOUT.toSeconds() + " s");
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
                remarks.add(
                        "persistent sessions are left at the broker (removed: " + removed + " of " + sessions + ")");
            }
        }
    }

    // ---- sample

    private void sampleIfDue(double remainingSeconds) {
        if (Time.nowNanos() - sampledNanos >= SECOND) {
            sample(remainingSeconds);
        }
    }

    private void sample(double remainingSeconds) {
        long nowNanos = Time.nowNanos();
        double seconds = (nowNanos - sampledNanos) / 1e9;
        if (seconds < 0.05 || self == null) {
            return; // too short for a rate
        }
        sampledNanos = nowNanos;
        final long connected = sum(c -> c.connected.sum());
        final long sent = sum(c -> c.sent.sum());
        final long acknowledged = sum(c -> c.acknowledged.sum());
        final long received = sum(c -> c.received.sum());
        Optional<Usage> usage = broker.flatMap(UsageSource::read);
        double cores = usage.isPresent() && sampledUsage.isPresent()
                ? Math.max(0, usage.get().cpuNanos() - sampledUsage.get().cpuNanos()) / 1e9 / seconds
                : -1;
        SelfUsage.Look look = self.look();
        Sample sample = new Sample(
                (nowNanos - begunNanos) / 1e9,
                phase,
                connected - sum(c -> c.disconnected.sum()),
                (connected - sampledConnected) / seconds,
                (sent - sampledSent) / seconds,
                (acknowledged - sampledAcknowledged) / seconds,
                (received - sampledReceived) / seconds,
                Spread.of(taken(c -> c.latencyNow)),
                Spread.of(taken(c -> c.connectNow)),
                Spread.of(taken(c -> c.latenessNow)).p99(),
                sum(c -> c.errors.count()) + relayErrors.count(),
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
        progress.accept(new Progress(
                phase, sample, scenario.connections(), scenario.topology() != Topology.CONNECTIONS, remainingSeconds));
    }

    /** What the loops' recorders have gathered since the last look. */
    private Histogram taken(Function<LoopCounters, SingleWriterRecorder> recorder) {
        Histogram sum = Histograms.histogram();
        loops.forEach(loop -> sum.add(recorder.apply(loop.counters).getIntervalHistogram()));
        return sum;
    }

    private long sum(ToLongFunction<LoopCounters> counter) {
        return loops.stream()
                .mapToLong(loop -> counter.applyAsLong(loop.counters))
                .sum();
    }

    private Spread whole(Function<LoopCounters, Histogram> histogram) {
        Histogram sum = Histograms.histogram();
        loops.forEach(loop -> sum.add(histogram.apply(loop.counters)));
        return Spread.of(sum);
    }

    // ---- result

    private RunResult result() {
        List<Publisher> publishers = new ArrayList<>();
        List<Subscriber> subscribers = new ArrayList<>();
        for (LoadLoop loop : loops) {
            publishers.addAll(loop.publishers);
            subscribers.addAll(loop.subscribers);
        }
        long sent = sum(c -> c.sent.sum());
        long received = sum(c -> c.received.sum()) - sum(c -> c.foreign.sum());
        long unacknowledged = publishers.stream()
                .mapToLong(publisher -> publisher.outstanding().size())
                .sum();
        Delivery delivery = new Delivery(
                sent,
                Math.max(0, scheduled - sent),
                sum(c -> c.acknowledged.sum()),
                unacknowledged,
                sent * scenario.copies(),
                received,
                new Accounting(run, publishers, subscribers).lost(sent, received),
                sum(c -> c.repeated.sum()),
                sum(c -> c.overtaken.sum()),
                sum(c -> c.foreign.sum()),
                scenario.copies() > 0);
        RunResult.BrokerUse brokerUse = brokerUse();
        RunResult.ToolUse toolUse = toolUse();
        Spread lateness = whole(c -> c.lateness);
        Spread connectLateness = whole(c -> c.connectLateness);
        List<String> bottlenecks =
                Bottleneck.reasons(scenario, toolUse.busiestLoop(), mean(gcShares), lateness, connectLateness);
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
                whole(c -> c.latency),
                lateness,
                whole(c -> c.acknowledgement),
                whole(c -> c.connect),
                connectLateness,
                whole(c -> c.clientRuntime),
                whole(c -> c.messageTime),
                loops.stream().mapToDouble(loop -> loop.counters.clientRates).sum(),
                scenario.connections(),
                sum(c -> c.connected.sum()),
                sum(c -> c.connectFailed.sum()),
                connectSeconds,
                errors(),
                brokerUse,
                toolUse,
                bottlenecks,
                toolUse.meanMachine() > Bottleneck.FULL_MACHINE,
                remarks,
                samples);
    }

    private RunResult.BrokerUse brokerUse() {
        if (usageBefore.isEmpty() || usageAfter.isEmpty() || usageSeconds <= 0) {
            return new RunResult.BrokerUse(false, 0, 0, -1, 0, 0, 0);
        }
        Usage before = usageBefore.get();
        Usage after = usageAfter.get();
        double cpu = Math.max(0, after.cpuNanos() - before.cpuNanos());
        boolean isUserKnown = before.userCpuNanos() >= 0 && after.userCpuNanos() >= 0;
        List<Sample> watched = samples.stream().filter(s -> s.brokerBytes() > 0).toList();
        List<Sample> measured = counting(watched);
        return new RunResult.BrokerUse(
                true,
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

    private RunResult.ToolUse toolUse() {
        List<Sample> measured = counting(samples);
        return new RunResult.ToolUse(
                measured.stream().mapToDouble(Sample::toolCores).average().orElse(0),
                measured.stream().mapToDouble(Sample::toolCores).max().orElse(0),
                measured.stream().mapToDouble(Sample::busiestLoop).average().orElse(0),
                toolBytes,
                measured.stream().mapToDouble(Sample::machine).average().orElse(-1),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    /** Those of the time that counts: of a connection test, while it connects. */
    private List<Sample> counting(List<Sample> all) {
        List<Sample> counting = all.stream()
                .filter(s -> s.phase() == (isConnecting() ? Phase.CONNECT : Phase.MEASURE))
                .toList();
        return counting.isEmpty() ? all : counting;
    }

    private static double mean(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).average().orElse(0);
    }

    private Map<String, Long> errors() {
        Map<String, Long> errors = new HashMap<>();
        for (LoadLoop loop : loops) {
            loop.counters.errors.addTo(errors);
        }
        relayErrors.addTo(errors);
        return errors;
    }

    /** The most frequent one; of relays first, since clients see but a closed connection then. */
    private String errorText() {
        return relayErrors
                .mostFrequent()
                .or(() -> errors().entrySet().stream()
                        .max(Map.Entry.comparingByValue())
                        .map(Map.Entry::getKey))
                .orElse("without an error");
    }

    // ---- waiting

    private static void sleepUntil(long untilNanos) throws InterruptedException {
        long nanos = untilNanos - Time.nowNanos();
        if (nanos > 0) {
            TimeUnit.NANOSECONDS.sleep(nanos);
        }
    }

    /** Whether it has succeeded within the time. */
    private static boolean quietly(Future<?> future, Duration timeout) throws InterruptedException {
        try {
            future.toCompletionStage().toCompletableFuture().get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }
}
