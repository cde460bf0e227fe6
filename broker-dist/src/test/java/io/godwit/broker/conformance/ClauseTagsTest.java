package io.godwit.broker.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.conformance.ClauseTags.Tag;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Which methods count as tests of a clause. The sources are assembled here, so that none counts as a test of this
 * class.
 */
class ClauseTagsTest {
    private static final String NAME = "@" + "Clause";

    private static List<Boolean> areTests(String annotations, String members) {
        List<Tag> tags = new ArrayList<>();
        String source =
                "import io.godwit.conformance." + "Clause;\n\n" + annotations + "class SomeTest {\n" + members + "}\n";
        ClauseTags.addTags(tags, Path.of("SomeTest.java"), source);
        return tags.stream().map(Tag::isTest).toList();
    }

    private static String method(String annotations) {
        return "    " + annotations + "\n    " + NAME + "(\"MQTT5-1.2.3-4\")\n    void some() {\n    }\n";
    }

    private static String rows(String firstOfRow) {
        return "    " + NAME + "({\"MQTT5-1.2.3-4\", \"MQTT311-1.2.3-4\"})\n    static Stream<Arguments> rows() {\n"
                + "        return Stream.of(rule(\"" + firstOfRow + "\", 5));\n    }\n";
    }

    @Test
    void whatRunsWithEveryBuildIsATest() {
        assertThat(areTests("", method("@Test"))).containsExactly(true);
        assertThat(areTests("@OverEachTransport\n", method("@ParameterizedTest")))
                .containsExactly(true);
    }

    @Test
    void whatIsSwitchedOffIsNone() {
        assertThat(areTests("", method("@Test @Disabled"))).containsExactly(false);
        assertThat(areTests("", method("@Test @Tag(\"long\")"))).containsExactly(false);
        assertThat(areTests("", method("@Test @Tag(\"full\")"))).containsExactly(false);
        assertThat(areTests("", method("@Test @Tag(\"slow\")"))).containsExactly(true);
        assertThat(areTests("@Tag(\"long\")\n", method("@Test"))).containsExactly(false);
        assertThat(areTests("@Disabled(\"why\")\n", method("@Test"))).containsExactly(false);
        assertThat(areTests("@Disabled\n", rows("MQTT5-1.2.3-4 a rule"))).containsExactly(false, false);
        assertThat(areTests("", method(""))).containsExactly(false);
    }

    @Test
    void aRowCountsForTheVersionItNames() {
        assertThat(areTests("", rows("MQTT5-1.2.3-4 a rule"))).containsExactly(true, false);
        assertThat(areTests("", rows("MQTT5-1.2.3-4 MQTT311-1.2.3-4 a rule"))).containsExactly(true, true);
        assertThat(areTests("", rows("1.2.3-4 a rule"))).containsExactly(false, false);
        assertThat(areTests("", rows("MQTT5-1.2.3-44 a rule"))).containsExactly(false, false);
        assertThat(areTests("", rows("a rule beside MQTT5-1.2.3-4"))).containsExactly(false, false);
    }
}
