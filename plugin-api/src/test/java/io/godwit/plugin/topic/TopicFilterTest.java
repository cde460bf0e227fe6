package io.godwit.plugin.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.plugin.topic.TopicFilter.Sharing;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopicFilterTest {

    @Test
    void aSharedFilterIsTakenApart() {
        assertThat(TopicFilter.parse("$share/g/a/+")).hasValue(new TopicFilter("g", "a/+", Sharing.SHARED));
        assertThat(TopicFilter.parse("$oshare/g/a/+")).hasValue(new TopicFilter("g", "a/+", Sharing.ORDERED));
        assertThat(TopicFilter.parse("$queue/a/+")).hasValue(new TopicFilter("", "a/+", Sharing.QUEUE));
        assertThat(TopicFilter.parse("$share/$queue/a")).hasValue(new TopicFilter("$queue", "a", Sharing.SHARED));
        assertThat(TopicFilter.parse("$exclusive/a/+")).hasValue(new TopicFilter(null, "a/+", Sharing.EXCLUSIVE));
        assertThat(TopicFilter.parse("a/$share/g/b")).hasValue(new TopicFilter(null, "a/$share/g/b", Sharing.NONE));
        assertThat(TopicFilter.parse("$queue")).hasValue(new TopicFilter(null, "$queue", Sharing.NONE));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "+/b/#",
                "$SYS/#",
                "$share/g/a",
                "$share/g//",
                "$oshare/g/#",
                "$queue//a",
                "$exclusive/a/#",
                "$queue/$share/g/a"
            })
    void theTextIsWhatWasWritten(String text) {
        assertThat(TopicFilter.parse(text).orElseThrow().text()).isEqualTo(text);
    }

    /** [MQTT5-4.8.2-1], [MQTT5-4.8.2-2], and the same of the other two. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "$share//a",
                "$share/g",
                "$share/g/",
                "$share/+/a",
                "$share/g#/a",
                "$share/g/a#",
                "$share/g\0h/a",
                "$oshare/\0/a",
                "$oshare//a",
                "$oshare/g",
                "$oshare/g/",
                "$oshare/+/a",
                "$queue/",
                "$exclusive/",
                "$queue/a#/b",
                "",
                "a+",
                "#/a"
            })
    void whatBreaksTheRulesIsRefused(String text) {
        assertThat(TopicFilter.parse(text)).isEmpty();
    }

    @Test
    void aGroupAndTheWayOfSharingGoTogether() {
        assertThatThrownBy(() -> new TopicFilter("g", "a", Sharing.NONE)).hasMessageContaining("NONE");
        assertThatThrownBy(() -> new TopicFilter(null, "a", Sharing.QUEUE)).hasMessageContaining("QUEUE");
    }
}
