package io.godwit.it.kv;

import io.godwit.it.kv.NemesisPlan.Step;
import io.godwit.it.kv.fault.SmallDisk;
import io.godwit.it.kv.history.History;
import io.godwit.testing.Pace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out the troubles of a plan, each with its end. Used by one thread. */
final class Nemesis {
    private static final Logger LOG = LoggerFactory.getLogger(Nemesis.class);

    /** After a disk has room again, until the store on it must serve by itself, or say that it has failed. */
    private static final int RECOVERY_MILLIS = 15_000;

    private final TestCluster cluster;
    private final History history;
    private final Map<Trouble, Integer> done = new EnumMap<>(Trouble.class);
    private final List<String> deaths = new ArrayList<>();

    Nemesis(TestCluster cluster, History history) {
        this.cluster = cluster;
        this.history = history;
    }

    void carryOut(NemesisPlan plan) throws IOException {
        for (Step step : plan.steps()) {
            park(step.waitMillis());
            lookForDeaths();
            begin(step);
            park(step.lastMillis());
            end(step);
            done.merge(step.trouble(), 1, Integer::sum);
        }
    }

    Map<Trouble, Integer> done() {
        return done;
    }

    /** Nodes that have ended though nobody killed them, and what they said. */
    List<String> deaths() {
        return deaths;
    }

    private void begin(Step step) throws IOException {
        TestNode victim = cluster.node(step.victim());
        switch (step.trouble()) {
            case KILL -> {
                note("kill " + victim.name());
                victim.kill();
            }
            case RESTART -> {
                note("stop " + victim.name());
                victim.stop();
            }
            case PAUSE -> {
                note("pause " + victim.name() + " for " + step.lastMillis() + " ms");
                victim.pause();
            }
            case CUT -> {
                note("cut " + victim.name() + " and "
                        + cluster.node(step.other()).name());
                cutBoth(step.victim(), step.other());
            }
            case CUT_ONE_WAY -> {
                note("cut from " + victim.name() + " to "
                        + cluster.node(step.other()).name());
                cluster.links().cut(step.victim(), step.other());
            }
            case ISOLATE -> {
                note("isolate " + victim.name());
                for (int other = 0; other < cluster.size(); other++) {
                    if (other != step.victim()) {
                        cutBoth(step.victim(), other);
                    }
                }
            }
            case UNPLUG -> {
                note("unplug " + victim.name());
                cluster.hosts().unplug(step.victim());
            }
            case FILL_DISK -> {
                long left = bytesLeft(step.share());
                note("fill the disk of " + victim.name() + " but for " + left + " bytes");
                disk().fill(left);
            }
            case KILL_ALL -> {
                note("kill all");
                for (int node = 0; node < cluster.size(); node++) {
                    cluster.node(node).kill();
                }
            }
        }
    }

    /** Below the mark at which writes are refused, below its half, or nothing at all. */
    private static long bytesLeft(double share) {
        return share < 0.33 ? 0 : (long) (TestCluster.LOW_WATER_BYTES * (share < 0.66 ? 0.3 : 0.8));
    }

    private void cutBoth(int one, int other) throws IOException {
        cluster.links().cut(one, other);
        cluster.links().cut(other, one);
    }

    private void end(Step step) throws IOException {
        TestNode victim = cluster.node(step.victim());
        switch (step.trouble()) {
            case KILL, RESTART -> {
                note("start " + victim.name());
                victim.start();
            }
            case PAUSE -> {
                note("let " + victim.name() + " go on");
                victim.goOn();
            }
            case CUT, CUT_ONE_WAY, ISOLATE -> {
                note("heal all links");
                cluster.healAll();
            }
            case UNPLUG -> {
                note("plug " + victim.name());
                cluster.hosts().plug(step.victim());
            }
            case FILL_DISK -> {
                note("empty the disk of " + victim.name());
                disk().empty();
                restartIfStopped(step.victim());
            }
            case KILL_ALL -> {
                note("start all");
                cluster.start();
            }
        }
    }

    /**
     * A store whose log met a full disk may stop for good, and say so: then, with room again, the operator restarts it.
     */
    private void restartIfStopped(int node) throws IOException {
        TestNode process = cluster.node(node);
        long giveUp = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(RECOVERY_MILLIS);
        String health = "";
        while (process.isRunning() && System.nanoTime() < giveUp) {
            try {
                health = cluster.operate(node, "health", 1_000);
            } catch (IOException e) {
                health = e.toString();
            }
            if (health.startsWith("done SERVING")) {
                return;
            }
            if (health.startsWith("done FAILED")) {
                break;
            }
            park(100);
        }
        note("restart " + process.name() + ", which was stopped by its full disk: " + health);
        process.kill();
        process.start();
    }

    private SmallDisk disk() {
        return Objects.requireNonNull(cluster.disk(), "the plan fills a disk that is not there");
    }

    private void lookForDeaths() throws IOException {
        for (int node = 0; node < cluster.size(); node++) {
            TestNode process = cluster.node(node);
            if (!process.isRunning()) {
                note(process.name() + " has ended by itself; start it again");
                deaths.add(process.name() + " has ended by itself" + process.said());
                process.start();
            }
        }
    }

    /** Puts everything right, and waits until all nodes serve. */
    void makeWhole(long patienceMillis) throws IOException {
        note("make all whole");
        cluster.healAll();
        if (cluster.disk() != null) {
            disk().empty();
        }
        for (int node = 0; node < cluster.size(); node++) {
            cluster.node(node).goOn();
        }
        lookForDeaths();
        for (int node = 0; node < cluster.size(); node++) {
            cluster.awaitServing(node, patienceMillis);
        }
        note("all serve");
    }

    private void note(String text) {
        LOG.info("nemesis: {}", text);
        history.note(text);
    }

    private static void park(long millis) {
        Pace.passMillis(millis);
    }
}
