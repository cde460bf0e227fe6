package io.godwit.inbox.protocol;

import io.godwit.inbox.client.ReplayStep;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.plugin.message.Message;
import io.godwit.plugin.topic.TopicFilter;
import java.util.List;

/**
 * A command of a connection to its attachment. Immutable; arrays are shared and never modified. The methods of
 * {@link io.godwit.inbox.client.InboxAttachment} describe what each does.
 */
public sealed interface AttachmentCommand {
    /** Calls the method for this command. */
    void choose(Cases cases, Answer answer);

    /** One method for each command. */
    interface Cases {
        void request(Request command);

        void acknowledge(Acknowledge command);

        void complete(Complete command);

        void received(Received command, Answer answer);

        void subscribe(Subscribe command, Answer answer);

        void unsubscribe(Unsubscribe command, Answer answer);

        void replay(Replay command, Answer answer);

        void replayed(Replayed command, Answer answer);

        void receive(Receive command, Answer answer);

        void release(Release command, Answer answer);

        void detach(Detach command, Answer answer);
    }

    /** Allows more QoS 1 and 2 deliveries. Not answered. */
    record Request(int messages) implements AttachmentCommand {
        @Override
        public void choose(Cases cases, Answer answer) {
            cases.request(this);
        }
    }

    /** PUBACKs came for these sequences. Not answered. */
    @SuppressWarnings("ArrayRecordComponent")
    record Acknowledge(long[] sequences) implements AttachmentCommand {
        @Override
        public void choose(Cases cases, Answer answer) {
            cases.acknowledge(this);
        }
    }

    /** PUBCOMP came. Not answered. */
    record Complete(long sequence) implements AttachmentCommand {
        @Override
        public void choose(Cases cases, Answer answer) {
            cases.complete(this);
        }
    }

    /** PUBREC came. Answered with {@link InboxReply#DONE} when committed. */
    record Received(long sequence) implements AttachmentCommand {
        @Override
        public void choose(Cases cases, Answer answer) {
            cases.received(this, answer);
        }
    }

    /**
     * Adds or replaces subscriptions. Answered with {@link InboxReply.Flags}: for each subscription, whether it is new.
     */
    record Subscribe(List<StoredSubscription> subscriptions) implements AttachmentCommand {
        public Subscribe {
            subscriptions = List.copyOf(subscriptions);
        }

        @Override
        public void choose(Cases cases, Answer answer) {
            cases.subscribe(this, answer);
        }
    }

    /** Removes subscriptions. Answered with {@link InboxReply.Flags}: for each filter, whether it existed. */
    record Unsubscribe(List<TopicFilter> filters) implements AttachmentCommand {
        public Unsubscribe {
            filters = List.copyOf(filters);
        }

        @Override
        public void choose(Cases cases, Answer answer) {
            cases.unsubscribe(this, answer);
        }
    }

    /** A retained message that a subscription is owed. Answered with {@link InboxReply.Replay}. */
    record Replay(ReplayStep step) implements AttachmentCommand {
        @Override
        public void choose(Cases cases, Answer answer) {
            cases.replay(this, answer);
        }
    }

    /** The subscription was given all its retained messages. Answered with {@link InboxReply#DONE}. */
    record Replayed(TopicFilter filter, String to) implements AttachmentCommand {
        @Override
        public void choose(Cases cases, Answer answer) {
            cases.replayed(this, answer);
        }
    }

    /** A PUBLISH of QoS 2 came. Answered with {@link InboxReply.Received} when committed. */
    record Receive(int packetId, Message message) implements AttachmentCommand {
        @Override
        public void choose(Cases cases, Answer answer) {
            cases.receive(this, answer);
        }
    }

    /** PUBREL came. Answered with {@link InboxReply.Flag}, whether the packet id was known. */
    record Release(int packetId) implements AttachmentCommand {
        @Override
        public void choose(Cases cases, Answer answer) {
            cases.release(this, answer);
        }
    }

    /** The connection has ended. Answered with {@link InboxReply#DONE}. */
    record Detach(long expirySeconds, boolean publishWill, long sentBelow) implements AttachmentCommand {
        @Override
        public void choose(Cases cases, Answer answer) {
            cases.detach(this, answer);
        }
    }
}
