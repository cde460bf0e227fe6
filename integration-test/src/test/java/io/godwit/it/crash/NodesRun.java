package io.godwit.it.crash;

import io.godwit.it.client.ClientConfig;
import io.godwit.it.client.TestClient;
import io.godwit.it.cluster.BrokerCluster;
import io.godwit.it.crash.Event.Kind;
import io.godwit.it.crash.NodesPlan.Step;
import io.godwit.testing.Await;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a plan against the nodes of a cluster that serves: load by clients that go from node to node, troubles of one
 * node at a time; then lets everything owed be fetched. Used by one thread.
 */
final class NodesRun {
    private static final Logger LOG = LoggerFactory.getLogger(NodesRun.class);
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Nodes nodes;
    private final List<InetSocketAddress> addresses;
    private final NodesPlan plan;
    private final History history = new History();
    private final AtomicInteger readings = new AtomicInteger();
    private final RetainedReader reader;
    /** Nodes that answer in the end. */
    private List<InetSocketAddress> readable;

    private long acknowledgedQos1;
    private long acknowledgedQos2;
    private int probes;

    /** @param means null when none of the plan's troubles needs any */
    NodesRun(BrokerCluster cluster, @Nullable NodesMeans means, NodesPlan plan) {
        this(new NodesTroubles(cluster, means, plan.seed()), plan);
    }

    NodesRun(Nodes nodes, NodesPlan plan) {
        this.nodes = nodes;
        this.plan = plan;
        addresses = nodes.addresses();
        readable = addresses;
        reader = new RetainedReader(() -> readable.get(readings.getAndIncrement() % readable.size()), history, "ret/#");
    }

    private List<InetSocketAddress> running() throws IOException {
        List<InetSocketAddress> running = new ArrayList<>();
        for (int node = 0; node < addresses.size(); node++) {
            if (nodes.runs(node)) {
                running.add(addresses.get(node));
            }
        }
        return running;
    }

    long acknowledgedQos1() {
        return acknowledgedQos1;
    }

    long acknowledgedQos2() {
        return acknowledgedQos2;
    }

    /** What happens to the nodes while there is load. */
    interface Course {
        void run() throws IOException;
    }

    /** Runs the plan, and judges the history. One that breaks a promise is saved below {@code target}. */
    List<Violation> violations() throws IOException, InterruptedException {
        return violations(this::passAll);
    }

    /** What the history has of them, for a failure message. */
    String excerpt(List<Violation> violations) {
        return Excerpt.of(history.events(), violations);
    }

    /** The same with another course than the plan's. */
    List<Violation> violations(Course course) throws IOException, InterruptedException {
        return Verdict.of(history, plan.seed(), () -> events(course));
    }

    /** Runs the plan; returns the events up to the end of the drain, not judged. */
    List<Event> events() throws IOException, InterruptedException {
        return events(this::passAll);
    }

    private List<Event> events(Course course) throws IOException, InterruptedException {
        try (Load load = Load.overNodes(addresses, history, plan.seed(), plan.qos1PerSecond(), plan.qos2PerSecond())) {
            load.start();
            Drain.await("all sessions and subscriptions", 90, load::isSetUp);
            load.stage().enter(Stage.Phase.LOAD);
            load.stage().takeovers(true);
            course.run();
            Pace.passMillis(1_000);
            acknowledgedQos1 = history.acknowledgedQos1();
            acknowledgedQos2 = history.acknowledgedQos2();
            load.stage().enter(Stage.Phase.DRAIN);
            Drain.of(load, history, plan.quietMillis());
            readable = running();
            readRetained();
            return history.events();
        }
    }

    /** Of all nodes at the same time, since each reading ends with a long silence. */
    private void readRetained() throws IOException, InterruptedException {
        ExecutorService readers = Executors.newFixedThreadPool(readable.size());
        try {
            Callable<Void> reading = () -> {
                reader.read(Duration.ofMillis(plan.quietMillis()), Duration.ofSeconds(20), true);
                return null;
            };
            for (Future<Void> each : readers.invokeAll(Collections.nCopies(readable.size(), reading))) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw new IOException(e);
        } finally {
            readers.shutdownNow();
        }
    }

    private void passAll() throws IOException {
        for (Step step : plan.steps()) {
            pass(step);
        }
    }

    private void pass(Step step) throws IOException {
        Pace.passMillis(step.peaceMillis());
        for (int node = 0; node < addresses.size(); node++) {
            if (!nodes.runs(node)) {
                throw new IOException("node " + node + " has ended by itself: " + nodes.said(node));
            }
        }
        long before = history.acknowledgedQos1() + history.acknowledgedQos2();
        history.add(Event.of(Kind.NODE_LOST, "", step.victim())
                .withFlag(step.trouble().refuses()));
        nodes.pass(step);
        long meanwhile = history.acknowledgedQos1() + history.acknowledgedQos2() - before;
        long back = System.nanoTime();
        awaitServing(step.victim());
        history.add(Event.of(Kind.NODE_BACK, "", step.victim()));
        LOG.info(
                "{}: {} acknowledged meanwhile; serves {} ms after it is back",
                step,
                meanwhile,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - back));
    }

    /** Until it takes a client and acknowledges its subscription. */
    private void awaitServing(int node) throws IOException {
        Await looks = Await.atMost(PATIENCE);
        while (true) {
            ClientConfig config =
                    ClientConfig.of(addresses.get(node), "probe-" + ++probes, 5).withCleanSession();
            try (TestClient probe = new TestClient(config)) {
                if (probe.connect().code() == 0 && probe.subscribe("probe/" + probes, 1) == 1) {
                    return;
                }
            } catch (IOException e) {
                LOG.debug("node {} does not serve yet", node, e);
            }
            looks.again(() -> "node " + node + " serves");
        }
    }
}
