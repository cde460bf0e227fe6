package io.godwit.api.http.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.auth.Principal;
import io.godwit.api.auth.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A caller may own four of eight places, and all callers together six. */
class OwnedPlacesTest {
    private static final String HOME = "10.0.0.1";

    private final OwnedPlaces<String> places = new OwnedPlaces<>(8, 8);
    private final List<String> lost = new ArrayList<>();

    private boolean use(String place, String caller) {
        return places.use(place, caller, HOME, lost::add);
    }

    private void own(String caller, String... of) {
        for (String place : of) {
            assertThat(use(place, caller)).as(place).isTrue();
        }
    }

    @Test
    void aPlaceThatIsUsedAgainCountsOnce() {
        for (int i = 0; i < 10; i++) {
            own("a", "a1");
        }
        own("a", "a2", "a3", "a4");
        assertThat(use("a5", "a")).isFalse();
        assertThat(lost).isEmpty();
    }

    @Test
    void aCallerThatLeavesGivesItsPlaceBackOnce() {
        own("a", "a1", "a2", "a3", "a4");
        assertThat(use("a5", "a")).isFalse();
        places.leave("a1");
        places.leave("a1");
        own("a", "a5");
        assertThat(use("a6", "a")).isFalse();
        places.leave("a6"); // was never its own
        assertThat(use("a7", "a")).isFalse();
    }

    @Test
    void allCallersTogetherGetBackWhatOneOfThemLeaves() {
        for (String caller : List.of("a", "b", "c", "d", "e", "f")) {
            own(caller, caller + 1);
        }
        assertThat(use("g1", "g")).isFalse();
        places.leave("c1");
        own("g", "g1");
        assertThat(use("c1", "c")).isFalse();
        assertThat(lost).isEmpty();
    }

    @Test
    void aPlaceStaysWithTheCallerThatOwnedItFirst() {
        own("a", "shared");
        own("b", "shared", "b1", "b2", "b3", "b4");
        assertThat(use("b5", "b")).as("the shared place is not one of its four").isFalse();
        places.leave("shared");
        own("a", "a1", "a2");
        assertThat(lost).isEmpty();
    }

    @Test
    void theTokensOfATenantOwnPlacesTogether() {
        String one = token("one", Optional.of("birds")).share();
        String two = token("two", Optional.of("birds")).share();
        own(one, "1", "3");
        own(two, "2", "4");
        assertThat(use("5", one)).isFalse();
        assertThat(use("5", two)).isFalse();
        own(token("one", Optional.of("fish")).share(), "5");
        own(token("one", Optional.empty()).share(), "6");
        places.leave("1");
        own(two, "7");
        assertThat(use("8", one)).as("the other token has the place").isFalse();
    }

    private static Principal token(String name, Optional<String> tenant) {
        return new Principal(name, Role.VIEWER, tenant, Principal.Kind.TOKEN, "file");
    }

    @Test
    void whoHasTheMostGivesAwayThePlaceThatItHasNotUsedForTheLongestTime() {
        own("a", "a1", "a2", "a3", "a4");
        own("b", "b1", "b2");
        own("a", "a1");
        own("c", "c1");
        assertThat(lost).containsExactly("a2");
        assertThat(use("a2", "a")).as("no other caller has more").isFalse();
        places.leave("a2"); // has no owner now
        places.leave("c1");
        own("a", "a5");
        assertThat(use("a6", "a")).as("it owns four again").isFalse();
        assertThat(lost).containsExactly("a2");
    }

    @Test
    void aSourceHasABoundOfItsOwnWhichAPlaceGivesBackToo() {
        OwnedPlaces<String> few = new OwnedPlaces<>(100, 4);
        assertThat(few.use("1", "a", HOME, lost::add)).isTrue();
        assertThat(few.use("2", "a", HOME, lost::add)).isTrue();
        assertThat(few.use("3", "a", HOME, lost::add)).isFalse();
        assertThat(few.use("4", "a", "10.0.0.2", lost::add)).isTrue();
        few.leave("4");
        assertThat(few.use("3", "a", HOME, lost::add))
                .as("that was of another source")
                .isFalse();
        few.leave("2");
        assertThat(few.use("3", "a", HOME, lost::add)).isTrue();
        assertThat(lost).isEmpty();
    }
}
