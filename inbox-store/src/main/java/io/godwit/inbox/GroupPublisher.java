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
 * Gives a message that an ended session had received from a shared group to another member of the group. The broker
 * adapts it to the dist-worker at wiring.
 */
public interface GroupPublisher {
    /**
     * Chooses another member of the group and gives it the message. By then the route of the ended session is removed.
     * Never completes exceptionally. Called on a range executor.
     *
     * @param from client of the ended session
     * @param group the shared subscription that the message was chosen for
     * @param token null at QoS 1, where a member may get the message twice
     * @param resend abandoned when the calling leader loses its leadership, see {@link WillPublisher#publish}
     */
    CompletableFuture<GroupOutcome> give(
            ClientInfo from, TopicFilter group, Message message, @Nullable GroupToken token, Resend resend);
}
