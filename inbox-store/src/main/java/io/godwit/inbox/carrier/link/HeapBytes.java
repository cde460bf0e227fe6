package io.godwit.inbox.carrier.link;

import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.client.StoredSubscription;
import io.godwit.inbox.client.Will;
import io.godwit.inbox.protocol.AttachmentCommand;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.plugin.topic.TopicFilter;
import org.jspecify.annotations.Nullable;

/** Approximate heap size of decoded commands and answers, in bytes. */
public final class HeapBytes {
    /** Objects of a command and its answer. */
    private static final long COMMAND = 256;
    /** Objects of one copy, and its list entries. */
    private static final long TARGET = 160;
    /** Objects of a filter, and its list entries. */
    private static final long FILTER = 160;

    private HeapBytes() {}

    public static long of(SessionCommand command) {
        long bytes = COMMAND + command.inbox().clientId().value().length();
        if (command instanceof SessionCommand.Attach attach) {
            bytes += of(attach.request().will());
        } else if (command instanceof SessionCommand.KeepWill keep) {
            bytes += of(keep.will());
        } else if (command instanceof SessionCommand.Continue goOn) {
            bytes += (long) Long.BYTES * goOn.request().unanswered().length;
        }
        return bytes;
    }

    /** Size of an answer that may be large; others are small. */
    public static long of(InboxReply reply) {
        long bytes = COMMAND;
        if (reply instanceof InboxReply.Attached attached) {
            for (StoredSubscription each : attached.subscriptions()) {
                bytes += of(each.filter());
            }
        }
        return bytes;
    }

    private static long of(@Nullable Will will) {
        return will == null ? 0 : will.message().heapBytes();
    }

    public static long of(AttachmentCommand command) {
        long bytes = COMMAND;
        if (command instanceof AttachmentCommand.Receive receive) {
            bytes += receive.message().heapBytes();
        } else if (command instanceof AttachmentCommand.Replay replay) {
            bytes += replay.step().message().heapBytes() + of(replay.step().filter());
        } else if (command instanceof AttachmentCommand.Subscribe subscribe) {
            for (StoredSubscription each : subscribe.subscriptions()) {
                bytes += of(each.filter());
            }
        } else if (command instanceof AttachmentCommand.Unsubscribe unsubscribe) {
            for (TopicFilter each : unsubscribe.filters()) {
                bytes += of(each);
            }
        }
        return bytes;
    }

    private static long of(TopicFilter filter) {
        String group = filter.shareGroup();
        return FILTER + 2L * (filter.filter().length() + (group == null ? 0 : group.length()));
    }

    public static long of(InsertRequest request) {
        long bytes = COMMAND + request.message().heapBytes();
        for (InsertRequest.Target each : request.targets()) {
            String shared = each.sharedFilter();
            bytes += TARGET
                    + each.clientId().value().length()
                    + (long) Integer.BYTES * each.subscriptionIds().length
                    + (shared == null ? 0 : shared.length());
        }
        return bytes;
    }
}
