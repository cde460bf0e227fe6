package io.godwit.inbox;

import io.godwit.inbox.client.GroupOutcome;
import io.godwit.inbox.client.GroupToken;
import io.godwit.kv.client.Resend;
import io.godwit.plugin.client.ClientInfo;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Gives what a session had of a shared group, and has ended without, to other members. Adapted to the dist-worker at
 * wiring.
 */
public interface GroupPublisher {
    /**
     * Chooses a member of the group and gives it the message. The route of the session that ended is gone by then.
     * Never completes exceptionally. Called on a range executor.
     *
     * @param from whose session it was
     * @param group the shared subscription it was chosen for
     * @param token null at QoS 1, where a repeat may be given twice
     * @param resend abandoned when the leader that gives is none any more, see {@link WillPublisher#publish}
     */
    CompletableFuture<GroupOutcome> give(
            ClientInfo from, TopicFilter group, Message message, @Nullable GroupToken token, Resend resend);
}
