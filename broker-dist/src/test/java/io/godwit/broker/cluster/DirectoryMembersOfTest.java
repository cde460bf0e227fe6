package io.godwit.broker.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.dist.member.view.AgreedMember;
import io.godwit.dist.member.view.MemberState;
import io.godwit.dist.member.view.MembersView;
import io.godwit.dist.member.view.NodeLife;
import io.godwit.inbox.session.port.DirectoryView;
import io.godwit.inbox.session.port.MemberLife;
import java.util.List;
import org.junit.jupiter.api.Test;

class DirectoryMembersOfTest {
    /** Its clients stay connected until then, and no other client may use their ids. */
    @Test
    void aLapsedMemberOwnsNoClientIdsAndIsAskedForThoseThatItHas() {
        DirectoryView view = DirectoryMembersOf.of(new MembersView(
                7,
                List.of(
                        member("serves", 1, MemberState.SERVING),
                        member("joins", 2, MemberState.JOINING),
                        member("lapsed", 3, MemberState.LAPSED))));
        assertThat(view.revision()).isEqualTo(7);
        assertThat(view.serving()).containsExactly(new MemberLife("serves", 1));
        assertThat(view.joining()).containsExactlyInAnyOrder(new MemberLife("joins", 2), new MemberLife("lapsed", 3));
    }

    private static AgreedMember member(String nodeId, long incarnation, MemberState state) {
        return new AgreedMember(new NodeLife(nodeId, incarnation), state, 5);
    }
}
