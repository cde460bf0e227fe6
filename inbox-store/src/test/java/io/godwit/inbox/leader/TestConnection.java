package io.godwit.inbox.leader;

import io.godwit.inbox.client.AttachReply;
import io.godwit.inbox.client.InboxAttachment;
import io.godwit.inbox.client.InboxListener;
import io.godwit.inbox.client.InboxMessage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The frontend's end of an attachment, which records all events. */
class TestConnection implements InboxListener {
    final List<InboxMessage> delivered = new ArrayList<>();
    final List<Reason> ends = new ArrayList<>();
    AttachReply reply;
    String clientId;

    InboxAttachment attachment() {
        return reply.attachment();
    }

    List<String> payloads() {
        return delivered.stream()
                .map(message -> new String(message.message().payload(), StandardCharsets.UTF_8))
                .toList();
    }

    /** Messages delivered since the last call. */
    List<InboxMessage> take() {
        List<InboxMessage> taken = List.copyOf(delivered);
        delivered.clear();
        return taken;
    }

    void acknowledgeAll() {
        attachment()
                .acknowledge(
                        delivered.stream().mapToLong(InboxMessage::sequence).toArray());
    }

    @Override
    public void deliver(List<InboxMessage> messages) {
        if (!ends.isEmpty()) {
            throw new AssertionError("delivery after the end");
        }
        delivered.addAll(messages);
    }

    @Override
    public void detached(Reason reason) {
        ends.add(reason);
    }
}
