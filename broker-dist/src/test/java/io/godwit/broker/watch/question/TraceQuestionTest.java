package io.godwit.broker.watch.question;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.plugin.client.ClientId;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.topic.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TraceQuestionTest {
    private static final ClientInfo WREN =
            new ClientInfo(new TenantId("birds"), new ClientId("wren"), null, "192.0.2.7:4000", 5);

    private static boolean follows(String followed, String subscribed) {
        TraceQuestion question = new TraceQuestion(
                Optional.empty(), Optional.of(TraceQuestion.parsed(followed)), Optional.empty(), Optional.empty());
        return question.followsFilter(WREN, TraceQuestion.parsed(subscribed));
    }

    @ParameterizedTest
    @CsvSource({
        "a/+, +/b, true",
        "a/#, a, true",
        "a/#, +, true",
        "a/+/c, a/b/#, true",
        "+/+, a, false",
        "a/+, b/+, false",
        "a/, a/+, true",
        "a/b, a/b, true",
        "#, $SYS/broker, false",
        "+/broker, $SYS/broker, false",
        "$SYS/+, $SYS/broker, true",
        "$SYS/#, $SYS, true"
    })
    void aTraceFollowsSubscriptionsThatMayGetItsTopics(String followed, String subscribed, boolean expected) {
        assertThat(follows(followed, subscribed)).isEqualTo(expected);
        assertThat(follows(subscribed, followed)).isEqualTo(expected);
    }

    /** Against all topics of up to three levels of two names. */
    @Test
    void filtersOverlapIfATopicMatchesBoth() {
        List<String> topics = texts(List.of("a", "b"));
        List<String> filters = new ArrayList<>(texts(List.of("a", "b", "+")));
        texts(List.of("a", "+")).forEach(start -> filters.add(start + "/#"));
        for (String one : filters) {
            TopicFilter first = TraceQuestion.parsed(one);
            for (String two : filters) {
                TopicFilter second = TraceQuestion.parsed(two);
                boolean isShared = topics.stream().anyMatch(topic -> first.matches(topic) && second.matches(topic));
                assertThat(follows(one, two)).as(one + " and " + two).isEqualTo(isShared);
            }
        }
    }

    private static List<String> texts(List<String> names) {
        List<String> texts = new ArrayList<>(names);
        int from = 0;
        for (int levels = 2; levels <= 4; levels++) {
            int to = texts.size();
            for (String start : List.copyOf(texts.subList(from, to))) {
                names.forEach(name -> texts.add(start + "/" + name));
            }
            from = to;
        }
        return texts;
    }
}
