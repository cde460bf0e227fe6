package io.godwit.dist.member;

import io.godwit.dist.member.view.AgreedMember;
import io.godwit.dist.member.view.MembersView;
import java.util.Set;

/**
 * The message that each member sends to each other member twice a second.
 *
 * @param since the revision at which, in the sender's newest view, the receiver began to serve; 0 when it does not
 *     serve there
 * @param sentNanos the sender's monotonic clock; 0 from a node that does not report it
 * @param echoNanos {@code sentNanos} of the newest heartbeat that the sender has had from the receiver; 0 for none, or
 *     when it returns none any more
 * @param closesUnreturned whether the sender closes its clients when it has no proof that it serves and nobody has
 *     returned a heartbeat of it for {@link Heartbeats#UNRETURNED_NANOS}
 * @param givenUp the lapses of members whose heartbeats the sender returns no more, and of whom it has had none for
 *     {@link Heartbeats#SILENT_NANOS}
 */
public record Heartbeat(
        long since, long sentNanos, long echoNanos, boolean closesUnreturned, Set<AgreedMember> givenUp) {
    /** Fails with {@link IllegalArgumentException} when it has more lapses than a view has members. */
    public Heartbeat {
        if (givenUp.size() > MembersView.MAX_MEMBERS) {
            throw new IllegalArgumentException("a heartbeat with " + givenUp.size() + " lapses");
        }
        givenUp = Set.copyOf(givenUp);
    }
}
