package io.godwit.dist.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.client.DeliveryToken;
import io.godwit.dist.client.Match;
import io.godwit.dist.client.Receiver;
import io.godwit.plugin.message.Qos;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class SharedGroupTest {

    @Test
    void roundRobinGivesEachItsTurn() {
        SharedGroup group = group(SharedPick.ROUND_ROBIN, 7);

        Map<Receiver, Integer> counts = picks(group, 7 * 100);

        assertThat(counts)
                .hasSize(7)
                .allSatisfy((receiver, count) -> assertThat(count).isEqualTo(100));
    }

    @Test
    void randomReachesEachAboutAsOften() {
        SharedGroup group = group(SharedPick.RANDOM, 5);

        Map<Receiver, Integer> counts = picks(group, 50_000);

        assertThat(counts)
                .hasSize(5)
                .allSatisfy((receiver, count) -> assertThat(count).isBetween(9_000, 11_000));
    }

    @Test
    void aTokenFindsItsMemberWhoeverElseComesAndGoes() {
        SharedGroup group = group(SharedPick.RANDOM, 5);
        SharedGroup restarted = new SharedGroup("g", SharedPick.RANDOM);
        for (int i = 4; i >= 1; i--) {
            restarted.add(member(new TestReceiver("m" + i)));
        }
        Map<Receiver, Integer> counts = new HashMap<>();
        for (int number = 0; number < 50_000; number++) {
            DeliveryToken token = new DeliveryToken("origin", number, 0);
            Receiver chosen = group.pick(token).receiver();
            counts.merge(chosen, 1, Integer::sum);
            if (!chosen.equals(new TestReceiver("m0"))) {
                assertThat(restarted.pick(token).receiver()).isEqualTo(chosen);
            }
        }
        assertThat(counts)
                .hasSize(5)
                .allSatisfy((receiver, count) -> assertThat(count).isBetween(9_000, 11_000));
    }

    @Test
    void anEmptyGroupPicksNobody() {
        SharedGroup group = group(SharedPick.ROUND_ROBIN, 1);
        group.remove(new TestReceiver("m0"));

        assertThat(group.pick()).isNull();
        assertThat(group.pick(new DeliveryToken("origin", 1, 0))).isNull();
        assertThat(group.isEmpty()).isTrue();
    }

    @Property(tries = 200)
    void holdsWhoJoinedAndDidNotLeave(@ForAll @Size(max = 200) List<@IntRange(min = -20, max = 20) Integer> steps) {
        SharedGroup group = new SharedGroup("g", SharedPick.ROUND_ROBIN);
        Set<Receiver> expected = new HashSet<>();
        for (int step : steps) {
            Receiver receiver = new TestReceiver("m" + Math.abs(step));
            if (step < 0) {
                assertThat(group.remove(receiver)).isEqualTo(expected.remove(receiver));
            } else {
                assertThat(group.add(member(receiver))).isEqualTo(expected.add(receiver));
            }
            Set<Receiver> actual = new HashSet<>();
            group.forEach(match -> assertThat(actual.add(match.receiver())).isTrue());
            assertThat(actual).isEqualTo(expected);
            assertThat(picks(group, expected.size()).keySet()).isEqualTo(expected);
        }
    }

    private static Map<Receiver, Integer> picks(SharedGroup group, int count) {
        Map<Receiver, Integer> counts = new HashMap<>();
        for (int i = 0; i < count; i++) {
            Match picked = group.pick();
            assertThat(picked).isNotNull();
            counts.merge(picked.receiver(), 1, Integer::sum);
        }
        return counts;
    }

    private static SharedGroup group(SharedPick pick, int members) {
        SharedGroup group = new SharedGroup("g", pick);
        for (int i = 0; i < members; i++) {
            group.add(member(new TestReceiver("m" + i)));
        }
        return group;
    }

    private static Match member(Receiver receiver) {
        return new Match(receiver, Qos.AT_LEAST_ONCE, false, Match.NO_IDS);
    }
}
