package io.godwit.it.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.crash.Event.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A failure message has the events of the messages that it names. */
class ExcerptTest extends CheckerFixture {
    @Test
    void theEventsOfAMessageAreShownWithItsAcknowledgementsAndConnections() {
        subscriber("s", 2);
        subscriber("other", 2);
        publisher("p");
        MessageId message = acknowledged(2);
        delivered("other", 1, 2, message);
        delivered("s", 1, 2, message);
        add(Event.of(Kind.NODE_LOST, "", 1));
        MessageId innocent = acknowledged(2);
        delivered("s", 3, 2, innocent);
        delivered("s", 2, 2, message);
        List<Violation> violations = Checker.check(events);
        assertThat(violations).isNotEmpty();
        String excerpt = Excerpt.of(events, violations.subList(0, 1));
        assertThat(excerpt)
                .contains("PUBLISH_OUT p", "PUBREC_IN p", "CONNECT_OUT s", "CONNECT_OUT p", "NODE_LOST")
                .containsPattern("PUBLISH_IN s connection 1 id 1 .*" + message.sequence())
                .contains("PUBLISH_IN s connection 1 id 2", "PUBREC_OUT s connection 1 id 2")
                .doesNotContain("other", "id 3", innocent.toString());
    }

    @Test
    void anExcerptHasABound() {
        subscriber("s", 2);
        publisher("p");
        MessageId message = acknowledged(2);
        for (int i = 1; i < 100; i++) {
            delivered("s", i, 2, message);
        }
        String excerpt = Excerpt.of(events, Checker.check(events));
        assertThat(excerpt.lines()).hasSize(80);
    }
}
