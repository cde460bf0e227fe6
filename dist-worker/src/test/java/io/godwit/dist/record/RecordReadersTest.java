package io.godwit.dist.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.member.Member;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecordReadersTest {
    private static final Map<String, String> READS = Map.of("zone", "a", RecordReaders.ATTRIBUTE, RecordReaders.LAYOUT);

    private static Member member(String id, Map<String, String> attributes) {
        return new Member(id, 1, new HostPort("localhost", 8_900), "test", "env", attributes);
    }

    @Test
    void allThatReadRecordsLackNothing() {
        List<Member> members = List.of(member("a", READS), member("b", READS));
        assertThat(RecordReaders.lack(members, List.of("a", "b"))).isEmpty();
        assertThat(RecordReaders.lack(members, List.of())).isEmpty();
    }

    @Test
    void whoDoesNotSaySoIsNamed() {
        List<Member> members = List.of(member("a", READS), member("b", Map.of("zone", "a")));
        assertThat(RecordReaders.lack(members, List.of("a", "b")))
                .hasValueSatisfying(why -> assertThat(why).contains("earlier version", ": b;"));
        List<Member> other = List.of(member("a", Map.of(RecordReaders.ATTRIBUTE, "another")));
        assertThat(RecordReaders.lack(other, List.of())).isPresent();
    }

    @Test
    void aLaterVersionReadsTheLayoutOfThisOne() {
        String later = String.valueOf(Integer.parseInt(RecordReaders.LAYOUT) + 1);
        List<Member> members = List.of(member("a", READS), member("b", Map.of(RecordReaders.ATTRIBUTE, later)));

        assertThat(RecordReaders.lack(members, List.of("a", "b"))).isEmpty();
    }

    /** A member that has crashed may be of an earlier version, and come back. */
    @Test
    void whoCannotBeAskedIsNamed() {
        assertThat(RecordReaders.lack(List.of(member("a", READS)), List.of("a", "c")))
                .hasValueSatisfying(why -> assertThat(why).contains("cannot be asked now: c"));
    }

    @Test
    void whoReadsAnEarlierLayoutOrNoneIsUnable() {
        List<Member> members = List.of(
                member("a", READS),
                member("b", Map.of()),
                member("c", Map.of(RecordReaders.ATTRIBUTE, "2")),
                member("d", Map.of(RecordReaders.ATTRIBUTE, "x")),
                member("e", Map.of(RecordReaders.ATTRIBUTE, "4")));
        assertThat(RecordReaders.unable(members)).containsExactly("b", "c", "d");
    }
}
