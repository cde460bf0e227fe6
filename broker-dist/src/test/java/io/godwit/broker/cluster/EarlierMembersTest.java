package io.godwit.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.member.Member;
import io.godwit.dist.record.RecordReaders;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EarlierMembersTest {
    private static final Member READS = member("a", Map.of(RecordReaders.ATTRIBUTE, RecordReaders.LAYOUT));
    private static final Member EARLIER = member("b", Map.of("zone", "z"));
    private static final Member LATER = member("c", Map.of(RecordReaders.ATTRIBUTE, "12"));

    private final List<String> told = new ArrayList<>();
    private final EarlierMembers earlier = new EarlierMembers(told::add);

    private static Member member(String id, Map<String, String> attributes) {
        return new Member(id, 1, new HostPort("localhost", 8_900), "test", "env", attributes);
    }

    @Test
    void oneThatJoinsBehindTheFirstRecordIsNamedOnceAndUntilItIsUpdated() {
        earlier.look(true, List.of(READS, LATER));
        earlier.look(true, List.of(READS, LATER, EARLIER));
        assertThat(told)
                .as("no warning yet, because the member may still report its version")
                .isEmpty();
        earlier.look(true, List.of(READS, LATER, EARLIER));
        earlier.look(true, List.of(READS, LATER, EARLIER));
        assertThat(told).containsExactly("b");
        assertThat(earlier.count()).isEqualTo(1);
        earlier.look(true, List.of(READS, LATER));
        earlier.look(true, List.of(READS, LATER));
        assertThat(told).containsExactly("b", "");
        assertThat(earlier.count()).isZero();
    }

    @Test
    void withoutRecordsNobodyHasToReadThem() {
        for (int i = 0; i < 3; i++) {
            earlier.look(false, List.of(READS, EARLIER));
        }
        assertThat(told).isEmpty();
        assertThat(earlier.count()).isZero();
    }
}
