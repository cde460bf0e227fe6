package io.godwit.api.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EntityTagsTest {
    private static boolean admits(String ifMatch, String tag) {
        return EntityTags.admitted(Optional.of(ifMatch)).test(tag);
    }

    @Test
    void oneOfTheListIsAdmitted() {
        assertThat(EntityTags.admitted(Optional.empty()).test("a")).isTrue();
        assertThat(admits(" * ", "a")).isTrue();
        assertThat(admits(EntityTags.quoted("a"), "a")).isTrue();
        assertThat(admits(" \"b\" , W/\"x\",\"a\" ", "a")).isTrue();
        assertThat(admits("\"a,b\"", "a,b")).isTrue();
    }

    @Test
    void weakOtherAndMissingTagsAreNotAdmitted() {
        for (String each :
                new String[] {"", " ", "\"b\"", "W/\"a\"", "a", "\"a", "x\"a\"", ",\"a\"", "\"b\" \"a\"", "*, \"b\""}) {
            assertThat(admits(each, "a")).as(each).isFalse();
        }
    }

    @Test
    void aLongHeaderTakesNoLongTime() {
        for (String each : new String[] {" ", "\"", "W/", "\"\"", "\"x\","}) {
            String header = each.repeat(16_384 / each.length()) + "x";
            assertTimeout(Duration.ofSeconds(2), () -> admits(header, "a"), each);
        }
    }
}
