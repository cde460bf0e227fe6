package io.godwit.dist.index.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.InboxReceiver;
import io.godwit.dist.client.Receiver;
import io.godwit.dist.client.SharedPick;
import io.godwit.dist.index.TestReceiver;
import io.godwit.plugin.client.ClientId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Any sequence of changes against the simplest form of a group, and picks beside changes. */
class SharedGroupModelTest extends SharedGroupFixture {
    enum Change {
        JOIN,
        LEAVE,
        CONNECT,
        DISCONNECT,
        CONNECT_ELSEWHERE,
        DISCONNECT_ELSEWHERE,
        REFUSE,
        WAIT
    }

    record Step(Change change, int member) {}

    /** The group's state in its simplest form: tier by receiver. */
    private static final class Model {
        final Map<Receiver, Boolean> connected = new LinkedHashMap<>();
        final Set<Receiver> elsewhere = new HashSet<>();
        final Map<Receiver, Long> refusesUntil = new HashMap<>();

        Set<Receiver> best(boolean localFirst, long now) {
            List<Set<Receiver>> tiers =
                    Stream.<Set<Receiver>>generate(HashSet::new).limit(5).toList();
            connected.forEach((receiver, isConnected) -> {
                boolean refuses = refusesUntil.getOrDefault(receiver, Long.MIN_VALUE) > now;
                tiers.get(refuses ? 4 : tierOf(receiver, isConnected, localFirst))
                        .add(receiver);
            });
            return tiers.stream().filter(tier -> !tier.isEmpty()).findFirst().orElse(Set.of());
        }

        private int tierOf(Receiver receiver, boolean isConnected, boolean localFirst) {
            if (receiver instanceof TestReceiver) {
                return 0;
            }
            if (isConnected) {
                return localFirst ? 1 : 0;
            }
            if (elsewhere.contains(receiver)) {
                return localFirst ? 2 : 0;
            }
            return 3;
        }

        /** A report that changes nothing does not end a refusal. */
        void setElsewhere(Receiver receiver, boolean isElsewhere) {
            if (receiver instanceof InboxReceiver && connected.containsKey(receiver)) {
                boolean isNew = isElsewhere ? elsewhere.add(receiver) : elsewhere.remove(receiver);
                if (isNew && Boolean.FALSE.equals(connected.get(receiver))) {
                    refusesUntil.remove(receiver);
                }
            }
        }
    }

    @Property(tries = 300)
    void choosesTheBestOfWhoJoinedAndDidNotLeave(@ForAll("steps") List<Step> steps, @ForAll SharedPick strategy) {
        nowNanos = 0;
        SharedGroup group = new SharedGroup(filter("$share/g/a"), new SharedStrategies(strategy), () -> nowNanos);
        Model model = new Model();
        for (Step step : steps) {
            Receiver receiver = step.member % 2 == 0 ? new TestReceiver("m" + step.member) : inbox("m" + step.member);
            boolean isMember = model.connected.containsKey(receiver);
            switch (step.change) {
                case JOIN -> {
                    assertThat(group.add(member(receiver))).isEqualTo(!isMember);
                    model.connected.putIfAbsent(receiver, false);
                }
                case LEAVE -> {
                    assertThat(group.remove(receiver)).isEqualTo(isMember);
                    model.connected.remove(receiver);
                    model.elsewhere.remove(receiver);
                    model.refusesUntil.remove(receiver);
                }
                case CONNECT, DISCONNECT -> {
                    group.setConnected(receiver, step.change == Change.CONNECT);
                    if (isMember && receiver instanceof InboxReceiver) {
                        model.connected.put(receiver, step.change == Change.CONNECT);
                        model.refusesUntil.remove(receiver);
                    }
                }
                case CONNECT_ELSEWHERE, DISCONNECT_ELSEWHERE -> {
                    group.setConnectedElsewhere(receiver, step.change == Change.CONNECT_ELSEWHERE);
                    model.setElsewhere(receiver, step.change == Change.CONNECT_ELSEWHERE);
                }
                case REFUSE -> {
                    if (isMember) {
                        group.refused(memberOf(group, receiver));
                        // refusals here start at different times or have the same length, so they end in the order they
                        // began
                        model.refusesUntil.merge(
                                receiver,
                                nowNanos + SharedGroup.REFUSAL_NANOS,
                                (before, until) -> before > nowNanos ? before : until);
                    }
                }
                case WAIT -> nowNanos += SharedGroup.REFUSAL_NANOS / 2;
            }
            assertHolds(group, model, strategy);
        }
    }

    private void assertHolds(SharedGroup group, Model model, SharedPick strategy) {
        Set<Receiver> all = new HashSet<>();
        group.forEach(match -> assertThat(all.add(match.receiver())).isTrue());
        assertThat(all).isEqualTo(model.connected.keySet());
        assertThat(group.size()).isEqualTo(all.size());
        Set<Receiver> best = model.best(strategy == SharedPick.LOCAL_FIRST, nowNanos);
        for (int i = 0; i < 3; i++) {
            SharedMember picked = group.pick(new ClientId("p" + i), "t" + i, null);
            if (best.isEmpty()) {
                assertThat(picked).isNull();
            } else {
                assertThat(picked.match().receiver()).isIn(best);
                assertThat(picked.isRefusing())
                        .isEqualTo(
                                model.refusesUntil.getOrDefault(picked.match().receiver(), Long.MIN_VALUE) > nowNanos);
            }
        }
        if (strategy == SharedPick.ROUND_ROBIN) {
            assertThat(counts(group, best.size()).keySet()).isEqualTo(best);
        }
    }

    /**
     * One publisher and topic stay with one member as long as it is in the group, even if others come, go and connect.
     */
    @Property(tries = 200)
    void orderedKeysStayWithTheirMember(@ForAll("steps") List<Step> steps) {
        SharedGroup group = ordered();
        Map<String, Receiver> owners = new HashMap<>();
        Set<Receiver> members = new HashSet<>();
        for (Step step : steps) {
            Receiver receiver = step.member % 2 == 0 ? new TestReceiver("m" + step.member) : inbox("m" + step.member);
            switch (step.change) {
                case JOIN -> {
                    group.add(member(receiver));
                    members.add(receiver);
                }
                case LEAVE -> {
                    group.remove(receiver);
                    members.remove(receiver);
                }
                case CONNECT, DISCONNECT -> group.setConnected(receiver, step.change == Change.CONNECT);
                case CONNECT_ELSEWHERE, DISCONNECT_ELSEWHERE ->
                    group.setConnectedElsewhere(receiver, step.change == Change.CONNECT_ELSEWHERE);
                case REFUSE, WAIT -> {}
            }
            owners.values().removeIf(owner -> !members.contains(owner));
            for (int key = 0; key < 10 && !members.isEmpty(); key++) {
                Receiver picked = pick(group, new ClientId("p" + key % 3), "t" + key);
                assertThat(owners.computeIfAbsent("t" + key, topic -> picked)).isEqualTo(picked);
            }
        }
    }

    /** A publish finds a member however many come, go and change tiers at that moment. */
    @ParameterizedTest
    @EnumSource(SharedPick.class)
    void aPickBesideChangesFindsAMember(SharedPick strategy) throws InterruptedException {
        SharedGroup group = new SharedGroup(filter("$share/g/a"), new SharedStrategies(strategy), System::nanoTime);
        InboxReceiver constant = inbox("constant");
        group.add(member(constant));
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger missed = new AtomicInteger();
        Thread picker = new Thread(() -> {
            while (!done.get()) {
                if (group.pick(PUBLISHER, "a", null) == null) {
                    missed.incrementAndGet();
                }
            }
        });
        picker.start();
        for (int i = 0; i < 3_000; i++) {
            group.setConnected(constant, i % 2 == 0);
            group.setConnectedElsewhere(constant, i % 3 == 0);
            Receiver other = new TestReceiver("m" + i % 10);
            if (!group.remove(other)) {
                group.add(member(other));
            }
            if (i % 7 == 0) {
                group.refused(memberOf(group, constant));
            }
        }
        done.set(true);
        picker.join();
        assertThat(missed.get()).isZero();
    }

    @Provide
    static Arbitrary<List<Step>> steps() {
        return Combinators.combine(
                        Arbitraries.of(
                                Change.JOIN,
                                Change.JOIN,
                                Change.LEAVE,
                                Change.CONNECT,
                                Change.DISCONNECT,
                                Change.CONNECT_ELSEWHERE,
                                Change.DISCONNECT_ELSEWHERE,
                                Change.REFUSE,
                                Change.WAIT),
                        Arbitraries.integers().between(0, 15))
                .as(Step::new)
                .list()
                .ofMaxSize(100);
    }
}
