package io.godwit.kv.operate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which voter may go. The first voter leads; upper case letters have caught up. */
class RemainingVotersTest {
    private static Optional<String> whyNot(String voters, String leaving) {
        List<String> ids = List.of(voters.split(""));
        return RemainingVoters.whyNot(ids, leaving, voter -> Character.isUpperCase(voter.charAt(0)));
    }

    @ParameterizedTest
    @CsvSource({
        "Ab, b", // a dead or blank one of two
        "AB, B", // the goal was lowered to one
        "ABc, c", // a dead one, a ghost or a blank one of three
        "ABC, C", // a drain, or the goal was lowered
        "ABCD, D", // a surplus voter after its replacement votes
        "ABCd, d",
        "ABCd, C", // a drained voter while another is away
        "ABCde, d", // the dead two of five, one after the other
        "ABCe, e",
        "ABCDe, D",
    })
    void whatLeavesAMajorityMayGo(String voters, String leaving) {
        assertThat(whyNot(voters, leaving)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "Abc, b", // would leave one that can elect and one that cannot
        "AbC, C",
        "ABc, B",
        "ABCde, C",
        "Abcde, e",
    })
    void whatLeavesNoMajorityStays(String voters, String leaving) {
        assertThat(whyNot(voters, leaving)).isPresent();
    }

    /** So the rule cannot keep a range from healing. */
    @Test
    void whileAMajorityHasCaughtUpAnyOtherMayGo() {
        for (int count = 1; count <= 7; count++) {
            for (int caughtUp = count / 2 + 1; caughtUp < count; caughtUp++) {
                List<String> voters = List.of("1", "2", "3", "4", "5", "6", "7").subList(0, count);
                Set<String> with = Set.copyOf(voters.subList(0, caughtUp));
                for (String behind : voters.subList(caughtUp, count)) {
                    assertThat(RemainingVoters.whyNot(voters, behind, with::contains))
                            .isEmpty();
                }
            }
        }
    }

    @Test
    void theRefusalNamesWhoIsMissing() {
        assertThat(whyNot("ABc", "B"))
                .hasValue("without B only 1 of 2 voters would be there and have the data, which is no majority; "
                        + "missing: c; ask again when they have caught up");
    }
}
