package io.godwit.perf.load;

import io.godwit.perf.load.check.MessageHeader;
import io.godwit.perf.load.client.ClientSettings;
import io.godwit.perf.load.client.LoadSettings;
import io.godwit.perf.load.client.MovingLoop;
import io.godwit.perf.load.client.RunContext;
import io.godwit.perf.load.measure.Histograms;
import io.godwit.perf.load.measure.MeasuredTime;
import io.godwit.perf.load.measure.Spread;
import io.godwit.perf.load.measure.Time;
import io.godwit.perf.observe.SelfUsage;
import io.godwit.perf.scenario.Scenario;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Clients with one subscription each that are all connected to one broker, their home. A client that loses its
 * connection at once opens a new one to the next of the other brokers and subscribes again. The number of connections
 * being opened at a time is bounded, and a failed attempt is repeated after 100 ms. Used once, by one thread.
 */
public final class Reconnect implements AutoCloseable {
    private static final Duration START_TIME = Duration.ofSeconds(20);
    private static final Duration NO_PROGRESS = Duration.ofSeconds(30);
    private static final Duration CLOSE_TIME = Duration.ofSeconds(20);
    private static final long LOOK_MILLIS = 10;

    private final Scenario scenario;
    private final int clients;
    private final Vertx vertx;
    private final List<MovingLoop> loops = new ArrayList<>();
    /** Of the time since {@link #losing}; null before. */
    private @Nullable SelfUsage self;

    /**
     * How long clients were without service, from the loss of their broker to the SUBACK of another one.
     *
     * @param firstSeconds until the first client was served
     * @param medianSeconds until half of them were served
     * @param lastSeconds until all of them were served
     * @param refused failed attempts in that time
     * @param bottlenecks reasons why this tool rather than the brokers may limit the times; empty if there is no sign
     *     of it
     */
    public record Outage(
            double firstSeconds, double medianSeconds, double lastSeconds, long refused, List<String> bottlenecks) {
        public Outage {
            bottlenecks = List.copyOf(bottlenecks);
        }
    }

    /**
     * Does not connect yet.
     *
     * @param scenario its subscribers are the clients; of {@link io.godwit.perf.scenario.Topology#CONNECTIONS}
     * @param settings its times and rates are not used; subscribers must acknowledge without delay
     */
    public Reconnect(Scenario scenario, LoadSettings settings, ClientSettings home, ClientSettings refuge)
            throws LoadFailedException, InterruptedException {
        this.scenario = scenario;
        this.clients = scenario.subscribers();
        RunContext run = new RunContext(
                Long.toString(ThreadLocalRandom.current().nextLong(1L << 40), 36),
                scenario,
                settings,
                home,
                MessageHeader.fitting(scenario.payloadBytes()),
                null,
                null,
                new MeasuredTime());
        vertx = Vertx.vertx(
                new VertxOptions().setEventLoopPoolSize(settings.loops()).setPreferNativeTransport(true));
        int each = Math.max(1, settings.connecting() / settings.loops());
        List<Future<String>> deployed = new ArrayList<>();
        for (int i = 0; i < settings.loops(); i++) {
            MovingLoop loop = new MovingLoop(run, run.with(refuge), i, settings.loops(), each);
            loops.add(loop);
            deployed.add(
                    vertx.deployVerticle(loop, new DeploymentOptions().setThreadingModel(ThreadingModel.EVENT_LOOP)));
        }
        if (!isDone(Future.all(deployed), START_TIME)) {
            close();
            throw new LoadFailedException("the event loops did not start");
        }
    }

    /**
     * Connects all clients to their home; returns when all have subscribed.
     *
     * @throws LoadFailedException if a client cannot connect, or loses its home meanwhile
     */
    public void open() throws LoadFailedException, InterruptedException {
        loops.forEach(loop -> loop.open(clients));
        long progressNanos = Time.nowNanos();
        long last = -1;
        while (true) {
            long connected = sum(loop -> loop.counters.connected.sum());
            if (sum(loop -> loop.counters.connectFailed.sum()) > 0) {
                throw new LoadFailedException("clients cannot connect: " + errorText());
            }
            requireHome();
            if (connected == clients) {
                return;
            }
            if (connected != last) {
                last = connected;
                progressNanos = Time.nowNanos();
            } else if (Time.nowNanos() - progressNanos > NO_PROGRESS.toNanos()) {
                throw new LoadFailedException("%,d of %,d clients are connected, and no more for %d s"
                        .formatted(connected, clients, NO_PROGRESS.toSeconds()));
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
    }

    private void requireHome() throws LoadFailedException {
        if (sum(MovingLoop::away) > 0) {
            throw new LoadFailedException("a client lost its broker too early: " + errorText());
        }
    }

    /**
     * To be called right before the home is killed.
     *
     * @throws LoadFailedException if a client has lost its home already
     */
    public void losing() throws LoadFailedException {
        requireHome();
        self = new SelfUsage(loops.stream().map(MovingLoop::thread).toList());
        long nowNanos = Time.nowNanos();
        loops.forEach(loop -> loop.lost(nowNanos));
    }

    /**
     * Waits until all clients are served elsewhere.
     *
     * @throws LoadFailedException if they are not within {@code limit}
     */
    public Outage awaitAllBack(Duration limit) throws LoadFailedException, InterruptedException {
        long endNanos = Time.nowNanos() + limit.toNanos();
        while (sum(MovingLoop::back) < clients) {
            if (Time.nowNanos() > endNanos) {
                throw new LoadFailedException(
                        "of %,d clients %,d have lost their broker and %,d are served again after %d s; %s"
                                .formatted(
                                        clients,
                                        sum(MovingLoop::away),
                                        sum(MovingLoop::back),
                                        limit.toSeconds(),
                                        errorText()));
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        List<String> bottlenecks = bottlenecks();
        Histogram times = Histograms.histogram();
        if (!isDone(Future.all(loops.stream().map(loop -> loop.addTo(times)).toList()), START_TIME)) {
            throw new LoadFailedException("the event loops do not answer");
        }
        synchronized (times) { // as the loops do
            return new Outage(
                    times.getMinValue() / 1e6,
                    times.getValueAtPercentile(50) / 1e6,
                    times.getMaxValue() / 1e6,
                    sum(loop -> loop.refused.sum()),
                    bottlenecks);
        }
    }

    private List<String> bottlenecks() {
        if (self == null) {
            throw new IllegalStateException("the home was not said to be lost");
        }
        SelfUsage.Look look = self.look();
        Spread none = Spread.of(Histograms.histogram());
        return Bottleneck.reasons(scenario, look.busiestLoop(), look.gcShare(), none, none);
    }

    private long sum(ToLongFunction<MovingLoop> figure) {
        return loops.stream().mapToLong(figure).sum();
    }

    private String errorText() {
        return loops.stream()
                .flatMap(loop -> loop.counters.errors.mostFrequent().stream())
                .findFirst()
                .orElse("without an error");
    }

    private static boolean isDone(Future<?> future, Duration limit) throws InterruptedException {
        try {
            future.toCompletionStage().toCompletableFuture().get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    /** Closes all connections. */
    @Override
    public void close() {
        loops.forEach(MovingLoop::end);
        try {
            isDone(vertx.close(), CLOSE_TIME);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
