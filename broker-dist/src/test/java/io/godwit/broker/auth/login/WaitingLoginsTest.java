package io.godwit.broker.auth.login;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WaitingLoginsTest {
    @Test
    void sourcesAreServedInTurnAndEachInItsOrder() {
        WaitingLogins<String> waiting = new WaitingLogins<>(10);
        for (String login : List.of("a1", "a2", "a3", "b1", "c1", "c2")) {
            assertThat(waiting.add(login.charAt(0), login)).isNull();
        }
        assertThat(all(waiting)).containsExactly("a1", "b1", "c1", "a2", "c2", "a3");
    }

    @Test
    void oneSourceMayHaveAllPlacesUntilOthersCome() {
        WaitingLogins<String> waiting = new WaitingLogins<>(4);
        for (String login : List.of("a1", "a2", "a3", "a4")) {
            assertThat(waiting.add('a', login)).isNull();
        }
        assertThat(waiting.add('a', "a5")).isEqualTo("a5");
        assertThat(waiting.add('b', "b1")).isEqualTo("a4");
        assertThat(waiting.add('b', "b2")).isEqualTo("a3");
        assertThat(waiting.add('b', "b3")).isEqualTo("b3");
        assertThat(waiting.add('c', "c1")).isIn("a2", "b2");
        assertThat(waiting.add('a', "a6")).isEqualTo("a6");
        assertThat(all(waiting)).hasSize(4).startsWith("a1", "b1", "c1");
        assertThat(waiting.add('a', "a7")).isNull();
    }

    /** Otherwise logins from many addresses, one from each, would keep everybody out while they go on. */
    @Test
    void strangersDoNotKeepOutWhoWasHereBefore() {
        WaitingLogins<String> waiting = new WaitingLogins<>(4);
        waiting.proved(-1);
        waiting.proved(-2);
        for (int i = 0; i < 4; i++) {
            assertThat(waiting.add(i, "stranger" + i)).isNull();
        }
        assertThat(waiting.add(100, "stranger100")).isEqualTo("stranger100");
        assertThat(waiting.add(-1, "known1")).isEqualTo("stranger3");
        assertThat(waiting.add(101, "stranger101")).isEqualTo("stranger101");
        assertThat(waiting.add(-2, "known2")).isEqualTo("stranger2");
        assertThat(waiting.add(-1, "known1 again"))
                .as("the known source already has its share")
                .isEqualTo("known1 again");
        assertThat(waiting.add(0, "stranger0 again")).isEqualTo("stranger0 again");
        assertThat(all(waiting)).containsExactly("known1", "stranger0", "known2", "stranger1");
    }

    /** Conversely, half of the places are for new sources. */
    @Test
    void whoWasHereBeforeDoesNotKeepOutStrangers() {
        WaitingLogins<String> waiting = new WaitingLogins<>(4);
        waiting.proved(-1);
        for (int i = 1; i <= 4; i++) {
            assertThat(waiting.add(-1, "known" + i)).isNull();
        }
        assertThat(waiting.add(1, "stranger1")).isEqualTo("known4");
        assertThat(waiting.add(2, "stranger2")).isEqualTo("known3");
        assertThat(waiting.add(3, "stranger3")).isEqualTo("stranger3");
        assertThat(all(waiting)).containsExactly("known1", "stranger1", "known2", "stranger2");
    }

    @Test
    void theOnlyPlaceIsForWhoWasHereBefore() {
        WaitingLogins<String> waiting = new WaitingLogins<>(1);
        waiting.proved(-1);
        assertThat(waiting.add(1, "stranger")).isNull();
        assertThat(waiting.add(-1, "known")).isEqualTo("stranger");
        assertThat(waiting.add(1, "stranger again")).isEqualTo("stranger again");
        assertThat(all(waiting)).containsExactly("known");
    }

    /**
     * In any sequence of events no login is lost or served twice, no place stays empty, and a login is displaced only
     * if its source has more places than the new one.
     */
    @Test
    void theSharesAreFair() {
        Random random = new Random(5);
        WaitingLogins<Integer> waiting = new WaitingLogins<>(20);
        Map<Integer, Long> sources = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            if (random.nextInt(5) == 0) {
                Integer next = waiting.next();
                assertThat(next == null).isEqualTo(sources.isEmpty());
                if (next != null) {
                    assertThat(sources.remove(next)).isNotNull();
                }
                continue;
            }
            long source = random.nextInt(1 + random.nextInt(30));
            Integer refused = waiting.add(source, i);
            if (sources.size() < 20) {
                assertThat(refused).isNull();
            } else if (refused != null && refused != i) {
                assertThat(of(sources, sources.get(refused))).isGreaterThan(of(sources, source) + 1);
            } else {
                assertThat(refused).isEqualTo(i);
                long own = of(sources, source);
                assertThat(sources.values()).allMatch(other -> of(sources, other) <= own + 1);
            }
            sources.put(i, source);
            sources.keySet().remove(refused);
            assertThat(sources).hasSizeLessThanOrEqualTo(20);
        }
        assertThat(all(waiting)).containsExactlyInAnyOrderElementsOf(sources.keySet());
    }

    private static long of(Map<Integer, Long> sources, Long source) {
        return sources.values().stream().filter(source::equals).count();
    }

    private static <T> List<T> all(WaitingLogins<T> waiting) {
        List<T> all = new ArrayList<>();
        for (T next = waiting.next(); next != null; next = waiting.next()) {
            all.add(next);
        }
        return all;
    }
}
