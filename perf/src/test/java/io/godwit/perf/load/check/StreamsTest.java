package io.godwit.perf.load.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.perf.scenario.Family;
import io.godwit.perf.scenario.Scenario;
import io.godwit.perf.scenario.Topology;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class StreamsTest {
    /** Each topic has one publisher, and its subscriber expects messages of that one only. */
    @Property(tries = 200)
    void everyTopicOfARandomChoiceHasItsPublisher(
            @ForAll @IntRange(min = 1, max = 50) int publishers, @ForAll @IntRange(max = 500) int more) {
        Scenario scenario = Scenario.named("random", Family.FREE, Topology.RANDOM)
                .publishers(publishers)
                .subscribers(publishers + more)
                .build();
        int next = 0;
        for (int publisher = 0; publisher < publishers; publisher++) {
            Streams.Written written = Streams.writtenBy(scenario, publisher);
            assertThat(written.firstTopic()).isEqualTo(next);
            assertThat(written.topics()).isPositive();
            for (int topic = next; topic < next + written.topics(); topic++) {
                assertThat(Streams.heardBy(scenario, topic)).isEqualTo(new Streams.Heard(publisher, 1));
            }
            next += written.topics();
        }
        assertThat(next).isEqualTo(publishers + more);
    }
}
