package io.godwit.inbox.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.link.Lane;
import io.godwit.inbox.client.SessionDirectory.Takeover;
import io.godwit.inbox.session.DirectoryStage.Connection;
import io.godwit.inbox.session.DirectoryStage.Node;
import io.godwit.inbox.session.port.DirectoryView;
import io.godwit.inbox.session.port.MemberLife;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Connections of a few client ids come and go on nodes whose members change, whose links are cut and end, and which die
 * and return, in a seeded order. Two connections never have one client id at a time, and each request is answered.
 */
class DirectorySimulationTest {
    private static final int RUNS = 30;
    private static final int STEPS = 3_000;
    private static final List<String> NAMES = List.of("a", "b", "c", "d");
    private static final List<String> IDS = List.of("id0", "id1", "id2", "id3", "id4");

    /** Number of runs for each seed. */
    @ParameterizedTest
    @ValueSource(longs = {1, 1_000_003})
    void twoNeverHaveOneClientIdAndEachIsAnswered(long seed) {
        run(seed, false);
    }

    /** The members may exclude live nodes. When all agree again, one of two connections gives up. */
    @ParameterizedTest
    @ValueSource(longs = {1, 1_000_003})
    void partitionsHeal(long seed) {
        run(seed, true);
    }

    private static void run(long seed, boolean mayPart) {
        int grants = 0;
        int takeovers = 0;
        for (long run = seed; run < seed + RUNS; run++) {
            try {
                Run each = new Run(run, mayPart);
                each.go();
                grants += each.grants;
                takeovers += each.takeovers;
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + run, e);
            }
        }
        assertThat(grants).as("the simulation made many grants").isGreaterThan(RUNS * 40);
        assertThat(takeovers).isGreaterThan(RUNS * 20);
    }

    private static final class Run {
        private final Random random;
        private final DirectoryStage stage;
        private final List<DirectoryView> views = new ArrayList<>();
        private final Map<String, Connection> holders = new HashMap<>();
        private final List<Connection> open = new ArrayList<>();
        private final List<Connection> all = new ArrayList<>();
        private final Set<String> ended = new TreeSet<>();
        private final Set<String> cut = new TreeSet<>();
        private final Map<String, Long> incarnations = new TreeMap<>();
        private final List<String> violations = new ArrayList<>();
        private final boolean mayPart;
        private boolean onlyLinksFail;
        /** Percentage of chances that become faults. */
        private final int trouble;

        private int grants;
        private int takeovers;

        Run(long seed, boolean mayPart) {
            this.mayPart = mayPart;
            random = new Random(seed);
            trouble = random.nextInt(60);
            views.add(DirectoryStage.view(1, "a", "b", "c"));
            stage = DirectoryStage.of("a", "b", "c");
            stage.nodes.values().forEach(node -> node.links.window(1 + random.nextInt(3)));
            NAMES.forEach(name -> incarnations.put(name, 1L));
        }

        void go() {
            for (int i = 0; i < STEPS; i++) {
                step();
            }
            heal();
            agree();
            holders.clear();
            open.stream().filter(Connection::has).forEach(each -> {
                Connection other = holders.put(each.id, each);
                if (other != null) {
                    violations.add(each + " and " + other + " keep their client id");
                }
            });
            onlyLinksFail = true; // the tables stay from here on
            for (int i = 0; i < STEPS / 3; i++) {
                step();
            }
            heal();
            assertThat(violations).isEmpty();
            assertThat(all).allSatisfy(each -> {
                if (isAlive(each)) {
                    assertThat(each.answer).as(each.toString()).isDone();
                }
            });
            latestWins();
            List.copyOf(open).forEach(Connection::release);
            stage.settle();
            stage.nodes.values().forEach(node -> {
                assertThat(node.directory.sizes().claims()).isZero();
                assertThat(node.directory.sizes().owned()).isZero();
            });
        }

        private boolean isAlive(Connection connection) {
            return stage.nodes.get(connection.node.life.nodeId()) == connection.node;
        }

        private <T> T oneOf(List<T> list) {
            return list.get(random.nextInt(list.size()));
        }

        private Node node() {
            return oneOf(List.copyOf(stage.nodes.values()));
        }

        private void step() {
            int dice = random.nextInt(1_000);
            if (dice < 300) {
                node().turn();
            } else if (dice < 700) {
                deliver();
            } else if (dice < 780) {
                connect(node(), oneOf(IDS));
            } else if (dice < 900) {
                release();
            } else if (dice < 960) {
                learn(node());
            } else if (dice < 970) {
                stage.nowNanos += Duration.ofMillis(20).toNanos();
                stage.nodes.values().forEach(each -> each.directory.tick());
            } else if (onlyLinksFail || random.nextInt(100) < trouble) {
                makeTrouble();
            }
        }

        /** Delivers a frame of some lane that has one, as far as its link allows. */
        private void deliver() {
            List<Node> from = new ArrayList<>(stage.nodes.values());
            Collections.shuffle(from, random);
            for (Node sender : from) {
                for (Node receiver : from) {
                    if (stage.net.deliverOne(sender.life.nodeId(), receiver.life.nodeId(), Lane.CONTROL)) {
                        return;
                    }
                }
            }
        }

        private void makeTrouble() {
            switch (random.nextInt(onlyLinksFail ? 4 : 8)) {
                case 0 -> endOrLink();
                case 1 -> link();
                case 2 -> cutOrMend();
                case 3 -> mend();
                case 4, 5 -> changeMembers();
                case 6 -> node().mayGrant ^= true;
                default -> killOrStart();
            }
        }

        private Connection connect(Node node, String id) {
            Takeover takeover = random.nextInt(4) == 0 ? Takeover.OF_SAME_USER : Takeover.OF_ANYBODY;
            Connection connection = node.connect(id, random.nextInt(4) == 0 ? "user" : null, takeover);
            connection.onGrant = this::granted;
            all.add(connection);
            return connection;
        }

        private void granted(Connection connection) {
            if (!isAlive(connection)) {
                return;
            }
            Connection other = holders.get(connection.id);
            if (other != null && other.has() && isAlive(other) && (!mayPart || onlyLinksFail)) {
                violations.add(connection + " is granted what " + other + " has"); // callers swallow exceptions
            }
            holders.put(connection.id, connection);
            open.add(connection);
            grants++;
        }

        /** Releases a lease that was asked back, or any other. */
        private void release() {
            open.removeIf(each -> !each.has());
            if (open.isEmpty()) {
                return;
            }
            Connection each = oneOf(open);
            if (each.isToldToGiveUp || random.nextInt(5) == 0) {
                takeovers += each.isToldToGiveUp ? 1 : 0;
                each.release();
            }
        }

        private DirectoryView latest() {
            return views.get(views.size() - 1);
        }

        /** Tells a node the next view, or a later one. */
        private void learn(Node node) {
            List<DirectoryView> unknown = views.stream()
                    .filter(view -> view.revision() > node.view.revision())
                    .toList();
            if (!unknown.isEmpty()) {
                node.learn(random.nextInt(3) > 0 ? unknown.get(0) : oneOf(unknown));
            }
        }

        /**
         * Live nodes join, serve and step back; dead ones are removed. Live nodes are removed only where partitions are
         * allowed.
         */
        private void changeMembers() {
            Set<MemberLife> serving = new HashSet<>();
            Set<MemberLife> joining = new HashSet<>();
            for (Node node : stage.nodes.values()) {
                boolean isIn = latest().has(node.life) && !(mayPart && random.nextInt(4) == 0);
                if (isIn || random.nextBoolean()) {
                    (random.nextInt(4) == 0 ? joining : serving).add(node.life);
                }
            }
            views.add(new DirectoryView(latest().revision() + 1, serving, joining));
        }

        private void cutOrMend() {
            String from = node().life.nodeId();
            String to = node().life.nodeId();
            if (cut.remove(from + ">" + to)) {
                stage.net.mend(from, to);
            } else if (!from.equals(to)) {
                cut.add(from + ">" + to);
                stage.net.cut(from, to);
            }
        }

        private void endOrLink() {
            String one = node().life.nodeId();
            String other = node().life.nodeId();
            if (one.compareTo(other) >= 0) {
                return;
            }
            if (ended.remove(one + other)) {
                stage.net.link(one, other);
            } else {
                ended.add(one + other);
                stage.net.end(one, other, "a test");
            }
        }

        private void mend() {
            cut.forEach(pair -> stage.net.mend(pair.substring(0, 1), pair.substring(2)));
            cut.clear();
        }

        private void link() {
            ended.forEach(pair -> stage.net.link(pair.substring(0, 1), pair.substring(1)));
            ended.clear();
        }

        private void killOrStart() {
            String name = oneOf(NAMES);
            if (!stage.nodes.containsKey(name)) {
                start(name);
            } else if (stage.nodes.size() > 2) {
                stage.kill(name);
                open.removeIf(each -> !isAlive(each));
                ended.removeIf(pair -> pair.contains(name));
            }
        }

        private void start(String name) {
            long incarnation = incarnations.merge(name, 1L, Long::sum);
            stage.start(new MemberLife(name, incarnation), oneOf(views)).links.window(1 + random.nextInt(3));
        }

        private void heal() {
            mend();
            link();
            stage.nodes.values().forEach(node -> node.mayGrant = true);
            stage.pass(Duration.ofMillis(100));
            drain();
        }

        /** All live nodes agree and serve. */
        private void agree() {
            Set<MemberLife> serving = new HashSet<>();
            stage.nodes.values().forEach(node -> serving.add(node.life));
            views.add(new DirectoryView(latest().revision() + 1, serving, Set.of()));
            stage.learn(latest());
            stage.settle();
            drain();
        }

        /** Holders that are asked to give up do so, until nobody waits; or until somebody has waited too long. */
        private void drain() {
            for (int i = 0; i < 1_000; i++) {
                List.copyOf(open).stream().filter(each -> each.isToldToGiveUp).forEach(Connection::release);
                stage.pass(Duration.ZERO);
                boolean isWaitedFor = stage.nodes.values().stream()
                        .anyMatch(node -> node.directory.sizes().waiting() > 0);
                if (!isWaitedFor && open.stream().noneMatch(each -> each.has() && each.isToldToGiveUp)) {
                    return;
                }
            }
        }

        private void latestWins() {
            for (String id : IDS) {
                Connection latest = node().connect(id);
                latest.onGrant = this::granted;
                drain();
                assertThat(latest.has()).isTrue();
                assertThat(latest.isToldToGiveUp).isFalse();
            }
        }
    }
}
