package io.godwit.inbox.local;

import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxCarrier;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.kv.client.RangeClient;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Hands commands unencoded to the leaders of this process. Answers a query about a session at once if the leaders have
 * reported that there is none. Thread-safe.
 */
public final class LocalCarrier implements InboxCarrier {
    private static final int[] ONLY = {0};

    private final RangeClient ranges;
    private final StoredInboxes stored;

    /** @param stored what the leaders of this node have reported */
    public LocalCarrier(RangeClient ranges, StoredInboxes stored) {
        this.ranges = ranges;
        this.stored = stored;
    }

    @Override
    public void ask(SessionCommand command, @Nullable DeliveryStream deliveries, Answer answer) {
        SessionCall call = new SessionCall(command, deliveries, answer);
        InboxReply known = call.withoutSession();
        if (known != null && stored.isAbsent(call.prefix())) {
            answer.reply(known);
        } else {
            ranges.submit(call.prefix(), call);
        }
    }

    @Override
    public void insert(InsertRequest request, Answer answer) {
        int count = request.targets().size();
        if (count == 0) {
            answer.reply(new InboxReply.Inserted(List.of()));
        } else if (count == 1) {
            ranges.submit(
                    InsertCall.keyOf(request, 0), new InsertCall(request, ONLY, new InsertParts(1, 1, answer), false));
        } else {
            InsertParts parts = new InsertParts(count, 1, answer);
            ranges.submitParts(count, target -> InsertCall.keyOf(request, target), targets -> {
                parts.partAdded();
                return new InsertCall(request, targets, parts, false);
            });
            parts.partDone(); // the part that was open while the others were made
        }
    }
}
