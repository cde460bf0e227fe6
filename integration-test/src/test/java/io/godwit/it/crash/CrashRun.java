package io.godwit.it.crash;

import io.godwit.it.broker.Broker;
import io.godwit.it.crash.CrashPlan.Round;
import io.godwit.it.crash.Event.Kind;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a plan against a broker: load, kill, restart, and so on, or something else under load; then lets everything owed
 * be fetched.
 */
final class CrashRun {
    /** What is done to the broker once all clients are there and the load has begun. */
    interface Ordeal {
        void pass() throws IOException, InterruptedException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(CrashRun.class);

    private static final int RECOVERY_ATTEMPTS = 6;
    private static final Duration SNAPSHOT_PATIENCE = Duration.ofSeconds(60);

    private final Broker broker;
    private final CrashPlan plan;
    private final History history = new History();
    private final RetainedReader reader;
    private long upNanos;
    private long acknowledgedQos1;
    private long acknowledgedQos2;
    private int snapshotsHit;
    private int recoveriesHit;
    private long recoveryNanos;

    CrashRun(Broker broker, CrashPlan plan) {
        this.broker = broker;
        this.plan = plan;
        this.reader = new RetainedReader(broker.address(), history, "ret/#");
    }

    /** Acknowledged publishes of QoS 1 a second, over the time in which there was load and a broker. */
    double qos1PerSecond() {
        return acknowledgedQos1 * 1e9 / upNanos;
    }

    double qos2PerSecond() {
        return acknowledgedQos2 * 1e9 / upNanos;
    }

    /** Kills in the midst of a snapshot. */
    int snapshotsHit() {
        return snapshotsHit;
    }

    /** Kills of a broker that did not serve yet. */
    int recoveriesHit() {
        return recoveriesHit;
    }

    /**
     * Runs, and judges the history. One that breaks a promise, or whose end was not reached, is saved below
     * {@code target}.
     */
    List<Violation> violations() throws IOException, InterruptedException {
        return Verdict.of(history, plan.seed(), this::run);
    }

    /** The same with {@code ordeal} in place of the plan's kills. */
    List<Violation> violationsUnder(Ordeal ordeal) throws IOException, InterruptedException {
        return Verdict.of(
                history,
                plan.seed(),
                () -> run(load -> {
                    long begin = System.nanoTime();
                    ordeal.pass();
                    upNanos += System.nanoTime() - begin;
                }));
    }

    /** Returns the events up to the end of the drain. */
    List<Event> run() throws IOException, InterruptedException {
        return run(load -> {
            for (Round round : plan.rounds()) {
                run(round, load);
            }
        });
    }

    private interface Course {
        void run(Load load) throws IOException, InterruptedException;
    }

    private List<Event> run(Course course) throws IOException, InterruptedException {
        start();
        try (Load load = new Load(broker.address(), history, plan.seed(), plan.qos1PerSecond(), plan.qos2PerSecond())) {
            load.start();
            Drain.await("all sessions and subscriptions", 30, load::isSetUp);
            load.stage().enter(Stage.Phase.LOAD);
            course.run(load);
            acknowledgedQos1 = history.acknowledgedQos1();
            acknowledgedQos2 = history.acknowledgedQos2();
            load.stage().enter(Stage.Phase.DRAIN);
            long begin = System.nanoTime();
            Drain.of(load, history, plan.quietMillis());
            LOG.info("all delivered {} ms after the load", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
            readRetained(Duration.ofMillis(plan.quietMillis()), Duration.ofSeconds(20), true);
            return history.events();
        }
    }

    private void run(Round round, Load load) throws IOException, InterruptedException {
        long before = history.acknowledgedQos1() + history.acknowledgedQos2();
        long begin = System.nanoTime();
        load.stage().takeovers(round.kind() == CrashPlan.Kind.TAKEOVER);
        Pace.passMillis(round.loadMillis());
        if (round.kind() == CrashPlan.Kind.SNAPSHOT) {
            snapshotsHit += broker.freezeInSnapshot(round.share(), SNAPSHOT_PATIENCE) ? 1 : 0;
        }
        long loaded = System.nanoTime() - begin;
        kill();
        load.stage().takeovers(false);
        if (round.kind() == CrashPlan.Kind.RECOVERY) {
            killWhileItRecovers(round.share());
        }
        long start = System.nanoTime();
        start();
        history.add(Event.of(Kind.READY, "", 0));
        LOG.info(
                "killed {} after {} ms and {} acknowledgements; up again in {} ms",
                round.kind(),
                TimeUnit.NANOSECONDS.toMillis(loaded),
                history.acknowledgedQos1() + history.acknowledgedQos2() - before,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
        long ready = System.nanoTime();
        readRetained(Duration.ofMillis(500), Duration.ofSeconds(1), false);
        upNanos += loaded + System.nanoTime() - ready;
    }

    private void start() throws IOException {
        broker.launch();
        broker.awaitRecovery();
        long begin = System.nanoTime();
        broker.awaitReady(Duration.ofSeconds(60));
        recoveryNanos = System.nanoTime() - begin;
    }

    /** After a share of the time that the last recovery took; earlier, when this one was faster and is over. */
    private void killWhileItRecovers(double share) throws IOException {
        long delay = (long) (share * recoveryNanos);
        for (int attempt = 0; attempt < RECOVERY_ATTEMPTS; attempt++) {
            broker.launch();
            broker.awaitRecovery();
            Pace.passNanos(delay);
            boolean serves = broker.freeze();
            if (serves) {
                history.add(Event.of(Kind.READY, "", 0));
            }
            kill();
            if (!serves) {
                recoveriesHit++;
                return;
            }
            delay /= 2;
        }
    }

    private void kill() throws IOException {
        history.add(Event.of(Kind.KILL, "", 0));
        broker.kill();
    }

    private void readRetained(Duration quiet, Duration limit, boolean all) throws InterruptedException {
        try {
            reader.read(quiet, limit, all);
        } catch (IOException e) {
            LOG.info("retained messages not read", e);
        }
    }
}
