package io.godwit.plugin.topic;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DelayedTopicTest {

    @Test
    void secondsAndTopicAreTakenApart() {
        assertThat(DelayedTopic.parse("$delayed/0/a")).hasValue(new DelayedTopic(0, "a"));
        assertThat(DelayedTopic.parse("$delayed/4294967295//a/")).hasValue(new DelayedTopic(4_294_967_295L, "/a/"));
        assertThat(new DelayedTopic(7, "a/b").text()).isEqualTo("$delayed/7/a/b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "$delayed",
                "$delayed/",
                "$delayed/5",
                "$delayed/5/",
                "$delayed//a",
                "$delayed/-1/a",
                "$delayed/1s/a",
                "$delayed/4294967296/a",
                "$delayed/99999999999/a"
            })
    void whatIsNoneIsEmpty(String text) {
        assertThat(DelayedTopic.parse(text)).isEmpty();
    }
}
